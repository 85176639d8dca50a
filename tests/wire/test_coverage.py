"""What was shown, over real stdio: coverage decides what may be overwritten. A ledger without coverage fails here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Caller, Connect

pytestmark = pytest.mark.anyio

_LINES = 100
_TEXT = "".join(f"line {number}\n" for number in range(1, _LINES + 1))
_NEW = "all new\n"


@pytest.fixture
def path(root: Path) -> Path:
    """Make a file too large for a refusal to show whole."""
    path = root / "long.txt"
    path.write_text(_TEXT)
    return path


@pytest.mark.guarantee("G3")
async def test_an_overwrite_after_a_read_of_two_lines_is_refused_and_names_the_rest(
    connect: Connect, path: Path
) -> None:
    """SPEC 1, G3; issue 2."""
    async with connect() as agent:
        await agent.call("read_file", path=str(path), limit=2)
        text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
    assert "Lines 3-100 of 100" in text
    assert f'read_file(path="{path}", offset=3, limit=98)' in text
    assert path.read_text() == _TEXT


@pytest.mark.guarantee("G3")
async def test_the_read_that_the_refusal_names_licenses_the_overwrite(connect: Connect, path: Path) -> None:
    """SPEC 2: refusals name the call that works."""
    async with connect() as agent:
        await agent.call("read_file", path=str(path), limit=2)
        await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
        await agent.call("read_file", path=str(path), offset=3, limit=98)
        await agent.call("write_file", path=str(path), content=_NEW)
    assert path.read_text() == _NEW


@pytest.mark.guarantee("G3")
async def test_two_halves_make_a_whole(connect: Connect, path: Path) -> None:
    """SPEC 2: coverage is a set of line ranges."""
    async with connect() as agent:
        await agent.call("read_file", path=str(path), offset=51)
        await agent.call("read_text_file", path=str(path), head=50)
        await agent.call("write_file", path=str(path), content=_NEW)
    assert path.read_text() == _NEW


@pytest.mark.guarantee("G3")
async def test_a_replace_all_that_changes_unseen_lines_is_refused(connect: Connect, path: Path) -> None:
    """SPEC 1, G3: only the lines that it changes have to be seen."""
    edit = {"oldText": "line 7", "newText": "LINE 7", "replaceAll": True}
    async with connect() as agent:
        await agent.call("read_file", path=str(path), offset=1, limit=20)
        text = await agent.refused("unseen", "edit_file", path=str(path), edits=[edit])
        assert "70-79" in text
        assert path.read_text() == _TEXT
        await agent.call("edit_file", path=str(path), edits=[edit])
    assert path.read_text() == _TEXT.replace("line 7", "LINE 7")


@pytest.mark.guarantee("G3")
async def test_an_exact_unique_edit_outside_the_page_needs_no_more_than_a_fresh_read(
    connect: Connect, path: Path
) -> None:
    """SPEC 1, G3."""
    async with connect() as agent:
        await agent.call("read_file", path=str(path), limit=1)
        await agent.call("edit_file", path=str(path), edits=[{"oldText": "line 99\n", "newText": ""}])
    assert path.read_text() == _TEXT.replace("line 99\n", "")


@pytest.mark.guarantee("G4")
async def test_coverage_moves_along_with_own_edits(connect: Connect, path: Path) -> None:
    """SPEC 2: untouched seen lines stay seen, written lines are seen."""
    insert = [{"oldText": "line 2\n", "newText": "line 2\nnew a\nnew b\n"}]
    async with connect() as agent:
        await agent.call("read_file", path=str(path), offset=1, limit=50)
        await agent.call("edit_file", path=str(path), edits=insert)
        text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
    assert "Lines 53-102 of 102" in text


async def test_a_page_cut_by_characters_counts_only_what_it_showed(connect: Connect, path: Path) -> None:
    """SPEC 2: recorded from what was returned, never from what was asked."""
    async with connect() as agent:
        await agent.call("read_file", path=str(path), maxChars=40)
        text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
    assert "Lines 5-100 of 100" in text


async def test_a_line_shown_in_part_is_not_seen(connect: Connect, root: Path) -> None:
    """SPEC 2: such a read records the digest, no line."""
    path = root / "wide.txt"
    path.write_text("x" * 5_000 + "\nshort\n")
    async with connect() as agent:
        page = await agent.call("read_file", path=str(path), maxChars=100)
        assert "column=99" in page
        await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
        await agent.call("edit_file", path=str(path), edits=[{"oldText": "short", "newText": "long"}])
    assert path.read_text() == "x" * 5_000 + "\nlong\n"


@pytest.mark.guarantee("G1")
async def test_a_read_that_shows_no_line_licenses_nothing(connect: Connect, path: Path) -> None:
    """SPEC 2: `head: 0` records nothing."""
    async with connect() as agent:
        await agent.call("read_text_file", path=str(path), head=0)
        edits = [{"oldText": "line 99", "newText": "x"}]
        text = await agent.refused("not_read", "edit_file", path=str(path), edits=edits)
        assert f'read_file(path="{path}")' in text
    assert path.read_text() == _TEXT


@pytest.mark.guarantee("G1")
async def test_the_refusal_of_an_unread_small_file_shows_it_and_licenses_the_next_call(
    connect: Connect, root: Path
) -> None:
    """SPEC 2, refusals teach: up to 40 lines and 4,000 characters."""
    path = root / "small.txt"
    path.write_text("one\ntwo\n")
    async with connect() as agent:
        text = await agent.refused("not_read", "write_file", path=str(path), content=_NEW)
        assert "1\tone\n2\ttwo" in text
        assert path.read_text() == "one\ntwo\n"
        await agent.call("write_file", path=str(path), content=_NEW)
    assert path.read_text() == _NEW


@pytest.mark.guarantee("G2")
async def test_an_edit_sent_again_after_the_stale_refusal_that_showed_the_change_lands(
    connect: Connect, path: Path
) -> None:
    """SPEC 2, refusals teach: one more call, the same one."""
    edits = [{"oldText": "line 50\n", "newText": "line fifty\n"}]
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        path.write_text(_TEXT.replace("line 10\n", "line ten\n"))
        text = await agent.refused("stale", "edit_file", path=str(path), edits=edits)
        assert "-line 10\n+line ten\n" in text
        await agent.call("edit_file", path=str(path), edits=edits)
    assert path.read_text() == _TEXT.replace("line 10\n", "line ten\n").replace("line 50\n", "line fifty\n")


@pytest.mark.guarantee("G2")
async def test_an_overwrite_after_a_stale_refusal_needs_the_rest_shown_first(connect: Connect, path: Path) -> None:
    """SPEC 2: coverage becomes the lines of the diff."""
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        path.write_text(_TEXT.replace("line 10\n", "line ten\n"))
        text = await agent.refused("stale", "write_file", path=str(path), content=_NEW)
        assert f'read the rest first, read_file(path="{path}")' in text
        text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
        assert "Lines 1-6, 14-100 of 100" in text
        await agent.call("read_file", path=str(path))
        await agent.call("write_file", path=str(path), content=_NEW)
    assert path.read_text() == _NEW


@pytest.mark.guarantee("G2")
async def test_a_change_too_large_to_show_names_the_lines_to_read(connect: Connect, path: Path) -> None:
    """SPEC 2: the diff is capped, else which lines to read."""
    edits = [{"oldText": "line 1\n", "newText": "line one\n"}]
    changed = "".join(f"line {n}\n" if n <= 10 else f"row {n}\n" for n in range(1, _LINES + 1))
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        path.write_text(changed)
        text = await agent.refused("stale", "edit_file", path=str(path), edits=edits)
        assert f'in lines 11-100. Nothing was written. Read: read_file(path="{path}", offset=11, limit=90)' in text
        await agent.refused("stale", "edit_file", path=str(path), edits=edits)
        await agent.call("read_file", path=str(path), offset=11, limit=90)
        await agent.call("edit_file", path=str(path), edits=edits)
    assert path.read_text() == changed.replace("line 1\n", "line one\n")


@pytest.mark.guarantee("G3")
async def test_an_edit_within_a_long_line_does_not_make_the_line_seen(connect: Connect, root: Path) -> None:
    """SPEC 2: own writes are only text the caller sent; the rest of the line was never shown."""
    path = root / "g.js"
    path.write_text("".join(f"f({n});" for n in range(5_000)) + "\nlast\n")
    async with connect() as agent:
        await agent.call("read_file", path=str(path), maxChars=30)
        await agent.call("edit_file", path=str(path), edits=[{"oldText": "f(2500);", "newText": "g();"}])
        await agent.call("read_file", path=str(path), offset=2)
        text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
        assert "Line 1 of 2" in text
        await agent.call("read_file", path=str(path), offset=1, limit=1)
        await agent.call("write_file", path=str(path), content=_NEW)
    assert path.read_text() == _NEW


async def _call_named(agent: Caller, text: str) -> str:
    """Make the read that a reply or a refusal names."""
    written = re.search(r'read_file\(path="([^"]+)"((?:, \w+=\d+)*)\)', text)
    assert written is not None, text
    arguments = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", written[2])}
    return await agent.call("read_file", path=written[1], **arguments)


async def test_the_refusal_over_a_long_line_names_a_call_that_works(connect: Connect, root: Path) -> None:
    """SPEC 1, G12: a line that fits on the largest page is read at once."""
    path = root / "u.js"
    path.write_text("short\n" + "b" * 60_000 + "\nend\n")
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        await agent.call("read_file", path=str(path), offset=3)
        text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
        assert "offset=2, limit=1, maxChars=100000" in text
        await _call_named(agent, text)
        await agent.call("write_file", path=str(path), content=_NEW)
    assert path.read_text() == _NEW


@pytest.mark.guarantee("G3")
async def test_the_reads_that_refusals_name_end_in_the_overwrite_of_a_line_that_no_page_holds(
    connect: Connect, root: Path
) -> None:
    """SPEC 2: windows of one line add up; G12: each refusal names the call that goes on."""
    path = root / "u.js"
    path.write_text("short\n" + "b" * 250_000 + "\nend\n")
    named: list[str] = []
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        for _ in range(3):
            text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
            named.append(text.partition(", offset=")[2])
            await _call_named(agent, text)
        text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
        assert text.endswith("3\tend")
        await agent.call("write_file", path=str(path), content=_NEW)
    assert named == [
        "2, limit=1, maxChars=100000)",
        "2, column=99999, limit=1, maxChars=100000)",
        "2, column=199997, limit=1, maxChars=100000)",
    ]
    assert path.read_text() == _NEW


@pytest.mark.guarantee("G3")
async def test_following_the_hints_of_the_pages_sees_the_whole_file(connect: Connect, root: Path) -> None:
    """SPEC 2, 3.1: lines cut at the budget add up, in characters and not bytes, whatever the tool they began with."""
    path = root / "wide.txt"
    path.write_text("\u00e9\U0001f600" * 60_000 + "\r\nshort\r\n" + "x" * 50_000)
    async with connect() as agent:
        page = await agent.call("read_text_file", path=str(path))
        pages = 1
        while "; next: " in page:
            page = await _call_named(agent, page.rpartition("; next: ")[2])
            pages += 1
        await agent.call("write_file", path=str(path), content=_NEW)
    assert pages == 5
    assert path.read_text() == _NEW


@pytest.mark.guarantee("G3")
async def test_windows_of_two_versions_of_a_line_do_not_add_up(connect: Connect, root: Path) -> None:
    """SPEC 2, one version at a time."""
    path = root / "wide.txt"
    path.write_text("a" * 60_000)
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        path.write_text("b" * 60_000)
        await agent.call("read_file", path=str(path), column=40_000)
        await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
    assert path.read_text() == "b" * 60_000


@pytest.mark.guarantee("G4")
async def test_the_start_of_a_long_line_stays_shown_when_lines_come_before_it(connect: Connect, root: Path) -> None:
    """SPEC 2, own writes: untouched lines keep their state under their new numbers."""
    path = root / "wide.txt"
    path.write_text("one\n" + "x" * 150_000 + "\n")
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        await agent.call("read_file", path=str(path), offset=2, maxChars=100_000)
        await agent.call("edit_file", path=str(path), edits=[{"oldText": "one\n", "newText": "one\ntwo\n"}])
        text = await agent.refused("unseen", "write_file", path=str(path), content=_NEW)
        assert "offset=3, column=99999, limit=1, maxChars=100000" in text
        await _call_named(agent, text)
        await agent.call("write_file", path=str(path), content=_NEW)
    assert path.read_text() == _NEW


@pytest.mark.guarantee("G2")
async def test_an_own_edit_that_somebody_took_back_is_told(connect: Connect, path: Path) -> None:
    """SPEC 2, refusals teach: the bytes now are exactly those before the edit."""
    async with connect() as agent:
        await agent.call("read_file", path=str(path))
        for old in ("line 5\n", "line 7\n"):
            path.write_text(_TEXT)
            await agent.call("read_file", path=str(path))
            await agent.call("edit_file", path=str(path), edits=[{"oldText": old, "newText": f"new {old}"}])
        path.write_text(_TEXT)
        edits = [{"oldText": "line 50\n", "newText": ""}]
        text = await agent.refused("stale", "edit_file", path=str(path), edits=edits)
        assert "changed: your edit to line 7 is no longer in the file. Nothing was written." in text
        await agent.call("edit_file", path=str(path), edits=edits)
        path.write_text(_TEXT)
        page = await agent.call("read_file", path=str(path), limit=1)
        assert "your edit to lines 49-50 is no longer in the file" in page
        page = await agent.call("read_file", path=str(path), limit=1)
        assert "no longer" not in page
