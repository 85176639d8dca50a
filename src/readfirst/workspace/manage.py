"""Changes that need no read, because they change nothing that is there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readfirst.content.codec import decode, encode
from readfirst.content.digest import digest_of
from readfirst.content.lines import Lines
from readfirst.content.regions import regions_of_splices
from readfirst.errors import ContentRefused
from readfirst.filesystem.commit import replace_file
from readfirst.sessions.ledger import after_edit
from readfirst.spans import LineRange, Splice
from readfirst.workspace.context import Session
from readfirst.workspace.edit import Version, create, on_disk, uniform_newline, within_limit


@dataclass(frozen=True, slots=True)
class AppendResult:
    """What an append did. `lines` are those that hold the new text; None: it was empty."""

    path: str
    lines: LineRange | None
    total: int
    created: bool = False
    durable: bool = True
    other_newline: str = ""
    """The line ending of the file, when the text came with another one; it was written as it came."""


def append_file(session: Session, path: str, text: str) -> AppendResult:
    """Add text at the end of a text file, exactly as given, or create the file.

    What the session had seen stays seen. A session that has not read the file has not read it afterwards either.

    Raises:
        ReadfirstError: the file is no text, has no such character, or cannot be written; nothing was.
    """
    within_limit(session, path, text)
    with session.workspace.locked(path) as target:
        if target.fd is None:
            made = create(session, target, text, dry_run=False, version="")
            lines = made.lines[0] if made.lines else None
            return AppendResult(path, lines, lines.count if lines else 0, created=True, durable=made.durable)
        now = on_disk(session, target, overwrites=False)
        try:
            added = now.document.to_body(text)
        except UnicodeEncodeError as error:
            raise ContentRefused("not_encodable", path, detail=text[error.start]) from None
        end = len(now.document.body)
        after = decode(encode(now.document, now.document.body + added), now.document.encoding)
        after_lines = Lines(after.body, after.newline)
        committed = replace_file(target, after.data, expected=now.digest) if added else None
        record = session.record(target.path)
        if record is not None and record.digest == now.digest:
            regions = regions_of_splices(now.lines, after_lines, [Splice(end, end, added)])
            sent = [(end, end + len(added))]
            changes = [replace(region.change, sent=region.new_within(sent)) for region in regions]
            session.wrote(target.path, after_edit(record, digest_of(after.data), changes, session.kept(after.data)))
        return AppendResult(
            path=path,
            lines=after_lines.ranges_of(end, len(after.body)) if added else None,
            total=after_lines.count,
            durable=committed is None or committed.durable,
            other_newline=_other_newline(now, text),
        )


def _other_newline(now: Version, text: str) -> str:
    own = uniform_newline(now.document)
    rest = text.replace(own, "") if own else ""
    return own if "\n" in rest or "\r" in rest else ""
