"""A record as bytes, for stores outside this process. Law: `unpack(pack(record)) == record`.

A record that cannot be read (another version of this program wrote it) is no record: a file has to be read again.

(A room of its own: every store outside this process writes the same bytes.)
"""

from __future__ import annotations

import json
from typing import Final

from readfirst.content.digest import Digest
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.ledger import FileRecord, OwnChange
from readfirst.spans import LinePart, LineRange

_FORMAT: Final = 1


def pack(record: FileRecord) -> bytes:
    """Give what was seen as one line of JSON, and the content after it."""
    ranges = [[lines.first, lines.last] for lines in record.coverage.ranges]
    head: dict[str, object] = {"format": _FORMAT, "digest": record.digest.hex(), "lines": ranges}
    head["kept"] = record.content is not None
    if record.coverage.parts:
        head["parts"] = [[part.line, part.first, part.last, part.ends] for part in record.coverage.parts]
    if record.own is not None:
        head["own"] = [record.own.before.hex(), record.own.lines.first, record.own.lines.last]
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + (record.content or b"")


def unpack(data: bytes) -> FileRecord | None:
    """Read a record; None: it is none of this format."""
    head, _, content = data.partition(b"\n")
    try:
        facts = json.loads(head)
        if facts["format"] != _FORMAT:
            return None
        parts = tuple(LinePart(line, first, last, ends) for line, first, last, ends in facts.get("parts", ()))
        coverage = Coverage(tuple(LineRange(first, last) for first, last in facts["lines"]), parts)
        own = None
        if "own" in facts:
            before, first, last = facts["own"]
            own = OwnChange(Digest(bytes.fromhex(before)), LineRange(first, last))
        digest = Digest(bytes.fromhex(facts["digest"]))
        return FileRecord(digest, coverage, content if facts["kept"] else None, own)
    except (ValueError, KeyError, TypeError):
        return None
