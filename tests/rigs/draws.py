"""What the machine draws, chosen so that much collides: few names, few lines, and limits that small files exceed."""

from __future__ import annotations

from hypothesis import strategies as st

from readfirst import Edit, ReadRequest, Settings
from tests.rigs.sight import split

LINES = st.sampled_from(["a", "b", "  a", "\ta", "    b", "", "x = 1", "é", "one two three " * 5])
_ENDS = st.sampled_from(["\n", "\n", "\r\n", "mixed"])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    lines, style = draw(st.lists(LINES, max_size=12) | st.lists(LINES, min_size=7, max_size=12)), draw(_ENDS)
    ends = [draw(st.sampled_from(["\n", "\r\n"])) if style == "mixed" else style for _ in lines]
    if ends and draw(st.integers(0, 3)) == 3:
        ends[-1] = ""
    mark = "\ufeff" if draw(st.integers(0, 9)) == 9 else ""
    return (mark + "".join(map("".join, zip(lines, ends, strict=True)))).encode()


TEXTS = st.tuples(st.lists(LINES, max_size=4), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda parts: parts[1].join(parts[0]) + (parts[1] if parts[2] else "")
)


@st.composite
def quotes(draw: st.DrawFn, text: str, *, several: bool = False) -> Edit:
    """Draw an edit of some lines of a text, quoted exactly, in part, or with other white space."""
    lines = split(text) or ["a\n"]
    first = draw(st.integers(0, len(lines) - 1))
    old = "".join(lines[first : first + draw(st.integers(1, 3))])
    end = "\n" if old.endswith("\n") and draw(st.booleans()) else ""
    old = old.removesuffix("\n")
    how = draw(st.sampled_from(["exact", "exact", "part", "part", "bare", "deeper", "tabs", "other"]))
    if how == "part" and old:
        start = draw(st.integers(0, len(old) - 1))
        old, end = old[start : draw(st.integers(start + 1, len(old)))], ""
    elif how == "other":
        old = draw(LINES)
    elif not several:
        old = {
            "bare": "\n".join(line.strip() for line in old.split("\n")),
            "deeper": "\n".join(f"  {line}" if line else "" for line in old.split("\n")),
            "tabs": old.replace("    ", "\t"),
        }.get(how, old)
    new = draw(st.one_of(LINES, st.just(old + "!"), st.lists(LINES, max_size=3).map("\n".join)))
    return Edit(old + end, new + end)


NAMES = ("one/f", "one/g", "two/f", "two/g")
FOCUS = st.just("one/f")
"""Half of all calls go to one file, so that what happens to it adds up."""
ASKED = st.one_of(FOCUS, st.sampled_from([*NAMES, "ln", "also/f", "two/../one/f"]))
PLACES = st.one_of(FOCUS, st.sampled_from([*NAMES, "one", "three", "three/f", "three/g", "ln"]))
FILES = (*NAMES, "three/f", "three/g", "ln")
DIRECTORIES = st.sampled_from(["one", "two", "three"])


def _limits(lines: int, *, kept_bytes_per_file: int = 10_000) -> Settings:
    """Give limits that files of twelve lines exceed."""
    return Settings(
        page_lines=lines,
        page_chars=48,
        max_page_chars=64,
        diff_lines=lines,
        diff_chars=300,
        refusal_diff_lines=lines,
        refusal_diff_chars=300,
        refusal_lines=2,
        refusal_chars=60,
        closest_lines=2,
        closest_chars=200,
        kept_bytes_per_file=kept_bytes_per_file,
    )


SETTINGS = st.sampled_from(
    [_limits(8), _limits(8), _limits(4), _limits(4), _limits(6, kept_bytes_per_file=16), Settings()]
)
REQUESTS = st.one_of(
    st.just(ReadRequest()),
    st.builds(
        ReadRequest,
        offset=st.integers(1, 6),
        limit=st.integers(0, 5),
        column=st.sampled_from([1, 1, 1, 2, 40]),
        max_chars=st.sampled_from([0, 8, 20, 64]),
        numbered=st.booleans(),
    ),
    st.builds(ReadRequest, head=st.integers(0, 4), numbered=st.booleans()),
    st.builds(ReadRequest, tail=st.integers(0, 4), numbered=st.booleans()),
)
