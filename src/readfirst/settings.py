"""Every limit and default that a user or an operator meets, in one frozen value.

A bound that belongs to one algorithm stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Profile = Literal["full", "editor"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of one server or library workspace; the defaults are the published ones."""

    profile: Profile = "full"
    """Which tools are offered; replies speak of calls in their names."""
    read_only: bool = False
    """Only tools that change nothing are offered."""

    page_lines: int = 2_000
    """Lines of a page when `limit` is not given."""
    page_chars: int = 45_000
    """Characters of a page when `maxChars` is not given. The most used client hides results over 50,000."""
    max_page_chars: int = 100_000
    """The most characters of a page, whatever was asked."""

    diff_lines: int = 1_000
    diff_chars: int = 20_000
    """Size of the diff in the reply to an edit or a write."""
    refusal_diff_lines: int = 60
    refusal_diff_chars: int = 4_000
    """Size of the diff in a refusal; a larger difference names the lines to read instead."""
    refusal_lines: int = 40
    refusal_chars: int = 4_000
    """A refusal shows lines that were not seen when they are no more than this."""
    closest_lines: int = 30
    closest_chars: int = 2_000
    """Size of the closest lines in the refusal of one edit."""
    error_chars: int = 8_000
    """The longest error text; clients cut longer ones."""

    write_bytes: int = 16 * 1024 * 1024
    """The most text one call may write."""
    edit_bytes: int = 256 * 1024 * 1024
    """The largest file that can be edited or overwritten."""
    media_bytes: int = 20 * 1024 * 1024
    """The largest file that is sent as it is: an image, a sound, a resource."""
    edits_per_call: int = 200
    paths_per_call: int = 200
    reply_chars: int = 45_000
    """Characters of a reply that shows several files."""

    walk_entries: int = 100_000
    """Entries that a tree or a search visits; those that the caller excludes do not count."""
    walk_s: float = 15.0
    """The longest that a tree or a search takes; what was found until then is the answer."""

    records_per_session: int = 10_000
    sessions: int = 1_000
    record_ttl_s: float = 24 * 3600.0
    """A record that nobody used for this long is forgotten: the file has to be read again."""
    kept_bytes_per_file: int = 4 * 1024 * 1024
    kept_bytes_per_session: int = 64 * 1024 * 1024
    """Content kept to show a later difference; beyond it the oldest goes, and a refusal names lines instead."""
    undo_bytes: int = 1024 * 1024 * 1024
    """Old content kept on disk so that changes can be taken back; beyond it the oldest goes."""
    kept_indexes: int = 64
    """Line indexes of large files kept for later pages."""

    fallback_encoding: str = ""
    """Python's name of the encoding to try for a file that is not UTF-8 and declares none; empty: none."""

    worker_threads: int = 16
    roots_s: float = 10.0
    """How long calls wait for a client to name its roots; then the allowed directories stay what they are."""
    roots: int = 100
    """The most roots taken from a client."""

    @property
    def message_bytes(self) -> int:
        """The longest message accepted: a full write with every character escaped as six."""
        return 6 * self.write_bytes + 64 * 1024


PROFILES: Final[Mapping[Profile, Settings]] = {
    "full": Settings(),
    "editor": Settings(profile="editor", page_lines=100, page_chars=10_000),
}
"""The limits that go with each profile: small models read in small pages."""
