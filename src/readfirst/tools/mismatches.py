"""What the refusal of an edit says: for each text that has no one place, why, and what is there instead.

(A room beside `refusals`, whose words for all else fill a module.)
"""

from __future__ import annotations

from typing import Final

from readfirst.errors import ClosestLines, EditFailure, EditsRefused
from readfirst.tools.words import Names, call, counted, lines_named, quoted, visible

_REMEDIES: Final = {
    "line numbers pasted": " Send it without them.",
    "HTML entities": " Send the characters themselves.",
    "already applied": " {new} is in the file.",
}
_LONG: Final = 150
_LEAD: Final = 40
"""Of two lines that differ only after 150 characters, how many are shown before the difference."""


def edits_refused(error: EditsRefused, names: Names) -> str:
    """Word the edits of a call that cannot be done; none was."""
    texts = [_edit_failure(failure, error, names) for failure in error.failures]
    if any(failure.code == "no_match" and failure.closest is None for failure in error.failures):
        texts.append(f"Look at the text first: {call(names, 'read', error.path)}")
    return "\n".join([f"No edit was made in {quoted(error.path)}.", *texts])


def _edit_failure(failure: EditFailure, error: EditsRefused, names: Names) -> str:
    which = f"edits[{failure.index}]: " if error.edit_count > 1 else ""
    match failure.code:
        case "no_match":
            return which + _no_match(failure, names)
        case "ambiguous":
            places = lines_named(failure.places)
            more = ", …" if failure.place_count > len(failure.places) else ""
            if failure.detail:
                return (
                    f"{which}{names.old}, {failure.detail} aside, stands in {counted(failure.place_count, 'place')} "
                    f"({places}{more}). Add lines around the one you mean."
                )
            every = f", or set {names.replace_all} to change all of them" if names.replace_all else ""
            return (
                f"{which}{names.old} stands in {counted(failure.place_count, 'place')} ({places}{more}). "
                f"Add lines around the one you mean{every}."
            )
        case "no_change" if failure.places:
            where = lines_named(failure.places)
            return f"{which}the file already holds {names.new} on {where}: only white space differs."
        case "no_change":
            return f"{which}{names.old} and {names.new} are the same."
        case "empty_old":
            return f"{which}{names.old} is empty. Quote the text to replace; to write a whole file use {names.write}."
        case "overlap":
            return f"{which}it changes the same lines as edits[{failure.other}]. Make the two one edit."
        case _:
            return f"{which}the file's encoding has no {quoted(failure.detail)}; write only characters it can hold."


def _no_match(failure: EditFailure, names: Names) -> str:
    if failure.detail == "indentation" and failure.places:
        return (
            f"{names.old} stands on {lines_named(failure.places)} with another indentation, "
            f"and that of {names.new} cannot be carried over. Quote the lines with the file's own indentation."
        )
    remedy = _REMEDIES.get(failure.detail, "").format(new=names.new)
    cause = f" Likely cause: {failure.detail}.{remedy}" if failure.detail else ""
    closest = failure.closest
    if not failure.searched:
        return f"{names.old} was not found.{cause}"
    if closest is None:
        return f"{names.old} was not found, and no similar lines were.{cause}"
    rows = "\n".join(f"{number}\t{line}" for number, line in enumerate(closest.text, closest.lines.first))
    are = "line is" if closest.lines.count == 1 else "lines are"
    return f"{names.old} was not found.{cause} The closest {are} {closest.lines}:\n{rows}{_difference(closest)}"


def _difference(closest: ClosestLines) -> str:
    if closest.first_difference is None:
        return ""
    line, mine, sent = closest.first_difference
    at = next((i for i, (a, b) in enumerate(zip(mine, sent, strict=False)) if a != b), min(len(mine), len(sent)))
    start = at - _LEAD if at > _LONG else 0
    where = f" from character {start + 1}" if start else ""
    file, wanted = visible(mine[start:]), visible(sent[start:])
    return f"\nFirst difference, line {line}{where}:\n  file  {file}\n  sent  {wanted}"
