"""Records, histories and keys as bytes, for stores outside this process. Law: `unpack(pack(record)) == record`.

What cannot be read (another version of this program wrote it) is nothing: a file has to be read again.

(A room of its own: every store outside this process writes the same bytes.)
"""

from __future__ import annotations

import json
from typing import Any, Final, get_args

from readfirst.content.digest import Digest
from readfirst.sessions.coverage import Coverage
from readfirst.sessions.history import Change, FileHistory, Kind
from readfirst.sessions.ledger import FileRecord, OwnChange
from readfirst.spans import Identity, LinePart, LineRange

_FORMAT: Final = 1
_KINDS: Final = get_args(Kind)


def pack(record: FileRecord) -> bytes:
    """Give what was seen as one line of JSON, and the content after it."""
    head: dict[str, object] = {
        "format": _FORMAT,
        "digest": record.digest.hex(),
        "kept": record.content is not None,
        **_seen(record.coverage),
    }
    if record.own is not None:
        head["own"] = [record.own.before.hex(), record.own.lines.first, record.own.lines.last]
    if record.identity is not None:
        head["identity"] = list(record.identity)
    return _json(head) + b"\n" + (record.content or b"")


def unpack(data: bytes) -> FileRecord | None:
    """Read a record; None: it is none of this format."""
    head, _, content = data.partition(b"\n")
    try:
        facts = json.loads(head)
        if facts["format"] != _FORMAT:
            return None
        own = None
        if "own" in facts:
            before, first, last = facts["own"]
            own = OwnChange(Digest(bytes.fromhex(before)), LineRange(first, last))
        identity = Identity(*facts["identity"]) if "identity" in facts else None
        digest = Digest(bytes.fromhex(facts["digest"]))
        return FileRecord(digest, _coverage(facts), content if facts["kept"] else None, own, identity)
    except (ValueError, KeyError, TypeError):
        return None


def pack_key(name: str) -> bytes:
    """Give a path, or a session's name, as the bytes that the system has for it: it need not be UTF-8."""
    return name.encode("utf-8", "surrogateescape")


def unpack_key(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def pack_history(history: FileHistory) -> bytes:
    changes = [
        {
            "kind": change.kind,
            "before": _hex(change.before),
            "after": _hex(change.after),
            "kept": change.kept,
            "seen": None if change.seen is None else _seen(change.seen),
            "source": change.source,
            "carried": change.carried,
            "forgotten": change.forgotten,
        }
        for change in history.changes
    ]
    return _json({"format": _FORMAT, "forgotten": history.forgotten, "changes": changes})


def unpack_history(data: bytes) -> FileHistory:
    """Read a history; one of another format is empty."""
    try:
        facts = json.loads(data)
        if facts["format"] != _FORMAT:
            return FileHistory()
        return FileHistory(tuple(_change(one) for one in facts["changes"]), facts["forgotten"])
    except (ValueError, KeyError, TypeError):
        return FileHistory()


def _change(facts: dict[str, Any]) -> Change:
    if facts["kind"] not in _KINDS:
        message = f"a change of another kind: {facts['kind']}"
        raise ValueError(message)
    return Change(
        kind=facts["kind"],
        before=_digest(facts["before"]),
        after=_digest(facts["after"]),
        kept=facts["kept"],
        seen=None if facts["seen"] is None else _coverage(facts["seen"]),
        source=facts["source"],
        carried=facts["carried"],
        forgotten=facts.get("forgotten", 0),
    )


def _seen(coverage: Coverage) -> dict[str, object]:
    ranges = [[lines.first, lines.last] for lines in coverage.ranges]
    parts = [[part.line, part.first, part.last, part.ends] for part in coverage.parts]
    return {"lines": ranges, "parts": parts} if parts else {"lines": ranges}


def _coverage(facts: dict[str, Any]) -> Coverage:
    parts = tuple(LinePart(line, first, last, ends) for line, first, last, ends in facts.get("parts", ()))
    return Coverage(tuple(LineRange(first, last) for first, last in facts["lines"]), parts)


def _hex(digest: Digest | None) -> str:
    return "" if digest is None else digest.hex()


def _digest(text: str) -> Digest | None:
    return Digest(bytes.fromhex(text)) if text else None


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
