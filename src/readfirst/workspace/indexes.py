"""Line indexes of large files, so that page n costs O(page) after the first pass.

(A room of its own: `context` says who calls, this what of a file is remembered for everybody.)
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from readfirst.content.lines import LineIndex
from readfirst.filesystem.files import Signature

_SETTLED_NS: Final = 2_000_000_000


@dataclass(frozen=True, slots=True)
class _Indexed:
    signature: Signature
    index: LineIndex


class IndexCache:
    """Line indexes of large files, for serving further pages; never used to decide about a change.

    An index is kept only when the file's times were at least two seconds old when it was hashed: a file that changes
    within the resolution of its times could change again unnoticed.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._indexes: OrderedDict[str, _Indexed] = OrderedDict()

    def get(self, path: str, signature: Signature) -> LineIndex | None:
        with self._lock:
            known = self._indexes.get(path)
            if known is None or known.signature != signature:
                return None
            self._indexes.move_to_end(path)
            return known.index

    def put(self, path: str, signature: Signature, index: LineIndex) -> None:
        if time.time_ns() - max(signature.mtime_ns, signature.ctime_ns) < _SETTLED_NS:
            return
        with self._lock:
            self._indexes[path] = _Indexed(signature, index)
            if len(self._indexes) > self._size:
                self._indexes.popitem(last=False)

    def drop(self, path: str) -> None:
        with self._lock:
            self._indexes.pop(path, None)
