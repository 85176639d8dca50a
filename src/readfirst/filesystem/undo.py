"""Old bytes, kept on disk so that a change can be taken back (SPEC 6, undo bytes).

They lie in the user's state directory, readable by that user alone, for a day, and no more of them than a limit: the
oldest go first. Several processes may share the directory.

(A room of its own: a rollback journal lives for one write, these for a day.)
"""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import os
import re
import secrets
import threading
import time
from dataclasses import dataclass
from typing import Any, Final

from readfirst.filesystem.entries import Kind
from readfirst.filesystem.metadata import Metadata

_log = logging.getLogger(__name__)

_NAME: Final = re.compile(r"[0-9a-f]{32}")
_LOOK_AGAIN_S: Final = 600.0
_MOST_OF: Final = 0.9
"""What is left of the limit after the oldest were removed, so that this is not done at every change."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was there: the bytes of a file, what a link said, or a directory; with its metadata where that was lost."""

    data: bytes
    kind: Kind = "file"
    metadata: Metadata | None = None


class UndoBytes:
    """The kept bytes below one directory, which is made when the first are kept."""

    def __init__(self, directory: str, *, max_bytes: int, max_age_s: float) -> None:
        self.directory = directory
        self._max_bytes = max_bytes
        self._max_age_s = max_age_s
        self._lock = threading.Lock()
        self._total = 0
        self._looked_at: float | None = None

    def keep(self, kept: Kept, *, sync: bool) -> str:
        """Keep bytes; gives the name to ask for them by, or an empty one when they could not be kept."""
        head = _head(kept)
        size = len(head) + len(kept.data)
        if size > self._max_bytes:
            return ""
        name = secrets.token_hex(16)
        try:
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            self._make_room(size)
            self._write(name, head, kept.data, sync=sync)
        except OSError as error:
            _log.warning("old bytes could not be kept for undo: %s", error.strerror)
            return ""
        return name

    def read(self, name: str) -> Kept | None:
        """Give what was kept under a name; None: it is no longer kept."""
        if not _NAME.fullmatch(name):
            return None
        try:
            with open(self._path(name), "rb") as file:
                if time.time() - os.fstat(file.fileno()).st_mtime > self._max_age_s:
                    return None
                return _kept(file.readline(), file.read())
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def drop(self, name: str) -> None:
        """Remove what is kept under a name, if it is."""
        if _NAME.fullmatch(name):
            with contextlib.suppress(OSError):
                os.unlink(self._path(name))

    def _path(self, name: str) -> str:
        return os.path.join(self.directory, name)

    def _write(self, name: str, head: bytes, data: bytes, *, sync: bool) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(self._path(name), flags, 0o600)
        try:
            for piece in (head, data):
                rest = memoryview(piece)
                while rest:
                    rest = rest[os.write(fd, rest) :]
            if sync:
                os.fsync(fd)
                self._sync_directory()
        except OSError:
            self.drop(name)
            raise
        finally:
            os.close(fd)

    def _sync_directory(self) -> None:
        fd = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def _make_room(self, size: int) -> None:
        """Remove what is too old, and the oldest beyond the limit; the directory is looked at only now and then."""
        with self._lock:
            self._total += size
            now = time.monotonic()
            known = self._looked_at is not None and now - self._looked_at < _LOOK_AGAIN_S
            if known and self._total <= self._max_bytes:
                return
            self._looked_at = now
            self._total = size + self._prune(int(self._max_bytes * _MOST_OF) - size)

    def _prune(self, max_bytes: int) -> int:
        """Remove the oldest until no more than this is left; gives what is left."""
        files: list[tuple[os.stat_result, str]] = []
        with os.scandir(self.directory) as found:
            for one in found:
                # Another process may remove it at this moment.
                with contextlib.suppress(FileNotFoundError):
                    files += [(one.stat(follow_symlinks=False), one.name)] if _NAME.fullmatch(one.name) else []
        total = left = 0
        for status, name in sorted(files, key=lambda pair: -pair[0].st_mtime_ns):
            total += status.st_size
            if total > max_bytes or time.time() - status.st_mtime > self._max_age_s:
                self.drop(name)
            else:
                left = total
        return left


def _head(kept: Kept) -> bytes:
    facts: dict[str, object] = {"kind": kept.kind}
    if kept.metadata is not None:
        known = kept.metadata
        attributes = [[name, base64.b64encode(value).decode()] for name, value in known.attributes]
        facts["metadata"] = [
            known.mode,
            known.uid,
            known.gid,
            known.accessed_ns,
            known.modified_ns,
            attributes,
            known.names,
        ]
    return json.dumps(facts).encode() + b"\n"


def _kept(head: bytes, data: bytes) -> Kept:
    facts: dict[str, Any] = json.loads(head)
    metadata = None
    if "metadata" in facts:
        mode, uid, gid, accessed_ns, modified_ns, attributes, names = facts["metadata"]
        pairs = tuple((name, base64.b64decode(value)) for name, value in attributes)
        metadata = Metadata(mode, uid, gid, accessed_ns, modified_ns, pairs, names)
    return Kept(data, facts["kind"], metadata)
