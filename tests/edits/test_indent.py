"""Indentation aside: which maps there are, and what is written through them (SPEC 4.2.3)."""

from __future__ import annotations

import pytest

from readfirst.content.codec import decode, detect
from readfirst.edits.plan import Edit, EditPlan, NoPlan, plan
from readfirst.errors import EditFailure

_WIDE = " " * 16


def _planned(before: bytes, old: str, new: str) -> EditPlan | NoPlan:
    encoding = detect(before)
    assert encoding is not None
    return plan(decode(before, encoding), [Edit(old, new)])


def _after(before: bytes, old: str, new: str) -> bytes | None:
    """Give the text after an edit on the indentation rung; None: the place was found, the indentation not told."""
    planned = _planned(before, old, new)
    if isinstance(planned, EditPlan):
        assert [one.rung for one in planned.placed] == ["indentation"]
        return planned.body
    (failure,) = planned.failures
    assert (failure.code, failure.detail) == ("no_match", "indentation")
    assert failure.places
    return None


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"k:\n    a\n    b\n", "a\nb", "a\nc", b"k:\n    a\n    c\n", id="quoted without any"),
        pytest.param(b"a\nb\n", "    a\n    b\n", "    a\n    c\n", b"a\nc\n", id="quoted a level too deep"),
        pytest.param(b"    a\n    b\n", "  a\n  b", "  a\n  c", b"    a\n    c\n", id="quoted too shallow"),
        pytest.param(b"  a\n    b\n  c\n", "a\n  b\nc", "a\n  x\nc", b"  a\n    x\n  c\n", id="several levels"),
        pytest.param(b"a\n    b\n", "a\n  b", "a\n  c", b"a\n    c\n", id="two blanks for four"),
        pytest.param(b"a\n        b\n", "a\n    b", "a\n    c", b"a\n        c\n", id="an uneven map"),
        pytest.param(b"a\n    b\n        c\n", "a\n\tb\n\t\tc", "a\n\tb\n\t\tx", b"a\n    b\n        x\n", id="tabs"),
        pytest.param(b"a\n\tb\n\t\tc\n", "a\n  b\n    c", "a\n  x\n    c", b"a\n\tx\n\t\tc\n", id="blanks for tabs"),
        pytest.param(b"  a\n\n  b\n", "a\n \t \nb", "a\n \t \nc", b"  a\n\n  c\n", id="blank lines take no part"),
        pytest.param(b"\n  a\n  b\n", "   \na\nb", "   \na\nc", b"\n  a\n  c\n", id="nor does a first blank line"),
        pytest.param(b"  a\n  b\n", "a\nb", "a\n\nc", b"  a\n\n  c\n", id="a new blank line has none"),
        pytest.param(b"  a\n  b\n", "a\nb", "a\n \nc", b"  a\n \n  c\n", id="a new blank line as sent"),
        pytest.param(b"  a\n    b\n", "a\n  b", "a\nc", b"  a\n  c\n", id="to another level that is known"),
        pytest.param(b"  a\n    b\n", "a\n  b", "c\n  a\n  b", b"  c\n    a\n    b\n", id="wrapped"),
        pytest.param(b"\t  a\n\t  b\n", " a\n b", " a\n c", b"\t  a\n\t  c\n", id="tab and blanks mixed"),
        pytest.param(b"  a\r\n  b\r\n", "a\nb", "a\nc", b"  a\r\n  c\r\n", id="CRLF"),
        pytest.param(b"  a\r  b\r", "a\nb\n", "a\nc\n", b"  a\r  c\r", id="CR alone"),
        pytest.param(b"  a\n  b", "a\nb\n", "a\nc\n", b"  a\n  c", id="no final newline"),
        pytest.param(b"\x0ca\n\x0cb\n", " a\n b", " a\n c", b"\x0ca\n\x0cc\n", id="form feeds"),
    ],
)
def test_a_changed_line_is_written_with_the_indentation_that_the_map_gives(
    before: bytes, old: str, new: str, after: bytes
) -> None:
    """SPEC 4.2.3: one consistent, strictly order-keeping map."""
    assert _after(before, old, new) == after


@pytest.mark.parametrize(
    ("before", "old"),
    [
        pytest.param(b"    a\n        b\n", " a\n b", id="one level sent, two in the file"),
        pytest.param(b"    a\n    b\n", " a\n  b", id="two levels sent, one in the file"),
        pytest.param(b"   a\n b\n", "  a\n   b", id="the other way round"),
        pytest.param(b"    a\n    b\n    c\n", "a\n    b\nc", id="one line deeper"),
        pytest.param(b"\ta\n        b\n", " a\n  b", id="levels that only look different"),
        pytest.param(b"    a\n    b\n        c\n", "a\n b\n  c", id="first line bare, the rest has two shifts"),
        pytest.param(b"  a\n        b\n", "a\nb", id="first line bare, its own would be negative"),
        pytest.param(b"a\n  b\n", "  a\n  b", id="a bare line in the file is no exception"),
    ],
)
def test_without_one_map_the_text_does_not_stand_there(before: bytes, old: str) -> None:
    """SPEC 4.2.3: another indentation is another text."""
    assert _planned(before, old, f"{old}x") == NoPlan((EditFailure(0, "no_match"),))


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"  a \n  b\n", "a\n  b", "a\n  c", b"  a \n  c\n", id="the rest as in the file"),
        pytest.param(b"  a \n  b\n", "a\n  b", "c\n  b", b"  c\n  b\n", id="the first line itself"),
        pytest.param(b"  a \n  b\n", "a\n  b", "c\n  a\n  b", b"  c\n  a\n  b\n", id="another first line"),
        pytest.param(b"  a \n  b\n", "a\n  b", "c\na\n  b", b"  c\n  a \n  b\n", id="a line before the first"),
        pytest.param(b"  a \n  b\n", "a\n  b", "  c\n  b", b"  c\n  b\n", id="a first line that is not bare"),
        pytest.param(b"    a\n    b\n", "a\n  b", "a\n  c", b"    a\n    c\n", id="the rest with a shift"),
        pytest.param(b"  a\n  b\n", "a\n    b", "a\n    c", b"  a\n  c\n", id="the rest too deep"),
        pytest.param(b"    a\n  b\n", "a\n    b", "a\n    c", b"    a\n  c\n", id="first deeper than the rest"),
        pytest.param(b"  a \n  b\nc\n", "a\n  b\nc", "a\n  x\nc", b"  a \n  x\nc\n", id="kept bare lines"),
        pytest.param(b"  a \n  b\n", "a\n  b", "a\n  b\n    c", b"  a \n  b\n    c\n", id="a deeper line"),
        pytest.param(b"  a \n  b\n", "a\n  b", "a\n\n  c", b"  a \n\n  c\n", id="a blank line is not bare"),
        pytest.param(b"  a \n  b\n", "a\n  b", "a\nc\n  b", None, id="a second bare line"),
        pytest.param(b"  a \n  b\nc\n", "a\n  b\nc", "a\n  b\nx", None, id="a bare line that changes"),
        pytest.param(b"\t\ta\n\t\tb\n", "a\n    b", "a\n    c", b"\t\ta\n\t\tc\n", id="blanks for tabs"),
        pytest.param(b"    a \n        b\n", "a\n        b", "a\n        c", b"    a \n        c\n", id="both maps"),
        pytest.param(b"  a \n    b\n", "a\n    b", "a\n    b\n        c", None, id="one map says 8, the other 6"),
        pytest.param(
            b"k:\n  l\nk:\n  a \n        b\n",
            "a\n        b",
            "a\n        b\n          c",
            b"k:\n  l\nk:\n  a \n        b\n          c\n",
            id="one map says 10, the other nothing",
        ),
        pytest.param(b"  a\n    b\n", "a\n  b", "a\nc\n  b", b"  a\n  c\n    b\n", id="all dedented: none is bare"),
    ],
)
def test_a_first_line_may_have_come_without_its_indentation(
    before: bytes, old: str, new: str, after: bytes | None
) -> None:
    """SPEC 4.2.3, the exception: where the texts fit one map as well, only what both say is written."""
    assert _after(before, old, new) == after


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"\ta\n\t\tb\n\t\t\tc\n", "a\n    b\n      c", "a\nx\n    b\n      c", None, id="blanks"),
        pytest.param(b"  a\n    b\n      c\n", "a\n\t\tb\n\t\t\tc", "a\nx\n\t\tb\n\t\t\tc", None, id="tabs"),
    ],
)
def test_a_shift_is_one_in_levels_too(before: bytes, old: str, new: str, after: bytes | None) -> None:
    """SPEC 4.2.3: first line bare, the rest sent with tabs for blanks or the reverse; a second bare line refuses."""
    assert _after(before, old, new) == after


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"  a\n  b\n", "a\nb", "a\n    c\nb", b"  a\n      c\n  b\n", id="deeper, a step as sent"),
        pytest.param(b"    a\n    b\n", "  a\n  b", "  a\nc", b"    a\n  c\n", id="shallower, a step as sent"),
        pytest.param(b"  a\n  b\n", "    a\n    b", "    a\n  c", b"  a\nc\n", id="shallower, to nothing"),
        pytest.param(b"  a\n  b\n", "    a\n    b", "    a\nc", None, id="shallower than nothing"),
        pytest.param(b"a\nb\n", "    a\n    b", "    a\n        c", b"a\n    c\n", id="deeper than nothing"),
        pytest.param(b"\ta\n\tb\n", "\t\ta\n\t\tb", "\t\ta\n\tc", b"\ta\nc\n", id="a tab less"),
        pytest.param(b"  a\n  b\n", " a\n b", " a\n\tc", None, id="neither deeper nor shallower"),
        pytest.param(b"a\n    b\n", "a\n  b", "a\n  b\n    c", b"a\n    b\n        c\n", id="two blanks for four"),
        pytest.param(b"a\n    b\n", "a\n  b", "a\n  b\n   c", None, id="no whole number of levels"),
        pytest.param(b"a\n  b\n", "a\n    b", "a\n    b\n  c", None, id="half a level, between two known"),
        pytest.param(b"a\n  b\n     c\n", "a\n b\n  c", "a\n b\n   x", None, id="steps that disagree"),
        pytest.param(b"a\n  b\n     c\n", "a\n b\n  c", "a\n x\n  c", b"a\n  x\n     c\n", id="and yet are known"),
        pytest.param(b"a\n\tb\n", "a\n  b", "a\n  b\n    c", b"a\n\tb\n\t\tc\n", id="blanks for tabs"),
        pytest.param(b"a\n\t\tb\n", "a\n    b", "a\n  c\n    b", b"a\n\tc\n\t\tb\n", id="half of two levels"),
        pytest.param(b"a\n\t\tb\n", "a\n   b", "a\n   b\n    c", None, id="three blanks for two tabs"),
        pytest.param(b"a\n    b\n", "a\n\tb", "a\n\tb\n\t\tc", b"a\n    b\n        c\n", id="tabs for blanks"),
        pytest.param(b"a\n    b\n", "a\n\t\tb", "a\n\t\tb\n\t\t\tc", None, id="a tab for half a level of the file"),
        pytest.param(
            b"k:\n  k:\n    k\na\n    b\n",
            "a\n\t\tb",
            "a\n\tc\n\t\tb",
            b"k:\n  k:\n    k\na\n  c\n    b\n",
            id="two tabs for two levels",
        ),
        pytest.param(b"a\n\tb\n\t  c\n", "a\n  b\n    c", "a\n  b\n    c\n    x", None, id="aligned by blanks"),
        pytest.param(
            b"a\n\tb\n\t  c\n", "a\n  b\n    c", "a\n  b\n    x", b"a\n\tb\n\t  x\n", id="aligned, in its place"
        ),
        pytest.param(b"k:\n    k\na\n    b\n", " a\n     b", " a\n   c", None, id="half a level of the file"),
        pytest.param(b"a\n\t b\n", "a\n  b", "a\n  b\n    c", None, id="a step of tab and blank"),
        pytest.param(b"  a\n  \tb\n", " a\n \tb", " a\n \tb\n       c", None, id="it would lose its order"),
    ],
)
def test_an_indentation_that_the_map_does_not_name_is_derived_by_steps_or_refused(
    before: bytes, old: str, new: str, after: bytes | None
) -> None:
    """SPEC 4.2.3: derived through that map, or the edit is refused; the order of levels is kept."""
    assert _after(before, old, new) == after


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"\ta\n\tb\n", "    a\n    b", "    a\n        c", b"\ta\n\t\tc\n", id="absolute"),
        pytest.param(b"\t\ta\n\t\tb\n", "    a\n    b", "    a\n  c", b"\t\ta\n\tc\n", id="absolute, two levels"),
        pytest.param(b"\ta\n\tb\n", "  a\n  b", "  a\n      c", None, id="two or four blanks, once more"),
        pytest.param(b"\ta\n\tb\n", "a\nb", "a\n  c", b"\ta\n\t\tc\n", id="dedented: the step as sent is a level"),
        pytest.param(b"\t\t\ta\n\t\t\tb\n", "  a\n  b", "  a\n    c", b"\t\t\ta\n\t\t\t\tc\n", id="dedented by two"),
        pytest.param(b"\ta\n\tb\n", "a\nb", "a\n c", None, id="dedented: a blank is no level"),
        pytest.param(b"\ta\n\tb\n", "a\nb", f"a\n{' ' * 12}c", None, id="dedented: twelve blanks are no level"),
        pytest.param(b"\t\ta\n\t\tb\n", "    a\n    b", "    a\n        c", None, id="two or four blanks a level"),
        pytest.param(b"\ta\n\tb\n", "        a\n        b", "        a\n    c", None, id="eight or four blanks"),
        pytest.param(
            b"\ta\n\tb\n", f"{_WIDE}a\n{_WIDE}b", f"{_WIDE}a\n{_WIDE}{_WIDE}c", None, id="sixteen blanks are no level"
        ),
        pytest.param(b"k:\n    a\n    b\n", "\ta\n\tb", "\ta\n\t\tc", b"k:\n    a\n        c\n", id="tabs, absolute"),
        pytest.param(b"k:\n  a\n  b\n", "a\nb", "a\n\tc", b"k:\n  a\n    c\n", id="tabs, dedented: the file's step"),
        pytest.param(
            b"    a\n    b\n", "\ta\n\tb", "\ta\n\t\tc", b"    a\n        c\n", id="tabs, a file without steps"
        ),
        pytest.param(b"    a\n    b\n", "a\nb", "a\n\tc", None, id="tabs, dedented, a file without steps"),
        pytest.param(b"k:\n  l:\n    a\n    b\n", "\ta\n\tb", "\ta\n\t\tc", None, id="tabs, the file has half of that"),
        pytest.param(b" a\n b\n", "\ta\n\tb", "\ta\n\t\tc", None, id="tabs, a blank is no level"),
        pytest.param(b"  a\n  b\n", "a\nb", "a\n\tc\n  b", None, id="tabs and blanks sent"),
        pytest.param(b"\t a\n\t b\n", "\ta\n\tb", "\ta\n\t\tc", None, id="tabs and blanks in the file"),
        pytest.param(b"a\nb\nk:\n\tc\n", "  a\n  b", "  a\n    x", None, id="blanks, nothing in a file with tabs"),
        pytest.param(b"a\nb\nk:\n  c\n", "\ta\n\tb", "\ta\n\t\tx", None, id="tabs, nothing in a file with blanks"),
        pytest.param(b"a\rb\rk:\r\tc\r", "  a\n  b", "  a\n    x", None, id="the same where CR ends a line"),
        pytest.param(b"k:\r  l:\r    a\r    b\r", "\ta\n\tb", "\ta\n\t\tc", None, id="CR, the file has half of that"),
        pytest.param(b"k:\r  a\r  b\r", "a\nb", "a\n\tc", b"k:\r  a\r    c\r", id="CR, dedented: the file's step"),
    ],
)
def test_tabs_and_blanks_are_exchanged_by_level_where_one_level_is_known(
    before: bytes, old: str, new: str, after: bytes | None
) -> None:
    """SPEC 4.2.3: tabs <-> spaces by indent unit; evidence that can be read in two ways refuses."""
    assert _after(before, old, new) == after


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        pytest.param(
            "func f() {\n\treturn a\n}\n", " return a\n", " if b {\n     return a\n }\n", id="a blank in front"
        ),
        pytest.param(
            "{\n\tfoo(a,\n\t    b);\n}\n",
            "    foo(a,\n        b);\n",
            "    if (x) {\n        foo(a,\n            b);\n    }\n",
            id="blanks after tabs are no level",
        ),
        pytest.param(
            "def f(x):\n    a = g(x,\n          y)\n    return a\n",
            "\ta = g(x,\n\t\t\ty)\n",
            "\ta = g(x,\n\t\t\ty)\n\tif a:\n\t\tb\n",
            id="a continuation is no level",
        ),
        pytest.param(
            "class A:\n    x = 1\n\ndef f():\n    pass\n",
            "\tdef f():\n",
            "\tdef f():\n\t\ty = 1\n",
            id="tabs into blanks",
        ),
        pytest.param("k:\n    a()\n    b()\n", "a()\nb()\n", "if zz:\n  a()\n  b()\n", id="half a level"),
    ],
)
def test_evidence_that_can_be_read_in_two_ways_refuses(before: str, old: str, new: str) -> None:
    """Issue 3: zero wrong texts; each of these was written with a wrong indentation once."""
    assert _after(before.encode(), old, new) is None


def test_fewer_blanks_than_the_line_has_are_no_exact_quotation() -> None:
    """The letter of the old text stands within the indentation; taken so, the second line would stand too far left."""
    before = b"def f():\n    if a:\n        return 1\n"
    after = _after(before, "    return 1\n", "    if x:\n        return 1\n")
    assert after == b"def f():\n    if a:\n        if x:\n            return 1\n"
