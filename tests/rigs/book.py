"""What a test knows a session to know: the sights of files, the versions it was told, and the changes it made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from readfirst import EditsRefused, NotRead, ReadfirstError, Stale, Unseen
from readfirst.content.digest import digest_of, version_token
from tests.rigs.disk import Disk, Node, moved
from tests.rigs.sight import Row, Sight, after_rows, numbered, patched, spans_of, text_of


@dataclass(eq=False)
class Entry:
    """A change that the session made of what is now called `name`; `sight` is what it knew before.

    `origins` lead from the characters after it to those before it. A move takes the `carried` changes along.
    """

    kind: str
    name: str
    before: Node | None
    after: Node | None
    sight: Sight | None = None
    origins: tuple[int, ...] = ()
    source: str = ""
    carried: list[Entry] = field(default_factory=list["Entry"])


class Book:
    """The model of one session."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.sights: dict[str, Sight] = {}
        self.log: list[Entry] = []
        self.tokens: dict[str, tuple[bytes, bool]] = {}

    def sight(self, name: str, data: bytes) -> Sight | None:
        """Give what is known of the bytes that a file has now; whatever its names, they are one file."""
        sights = [self.sights.get(other) for other in self.disk.names_of(name)]
        return next((sight for sight in sights if sight is not None and sight.version == data), None)

    def proof(self, name: str, data: bytes, version: str) -> Sight | None:
        """Give what entitles the session to change a file; None: nothing does (G1, G2)."""
        sight = self.sight(name, data)
        if version:
            told, whole = self.tokens[version]
            if told != data:
                return None
            return Sight.all_of(data) if whole else sight or Sight.none_of(data)
        return sight or (None if text_of(data) else Sight.none_of(data))

    def know(self, name: str, sight: Sight) -> None:
        for other in self.disk.names_of(name):
            self.sights[other] = sight

    def show(self, name: str, data: bytes, rows: Iterable[Row]) -> Sight:
        """Note lines that a reply shows of the present bytes."""
        sight = (self.sight(name, data) or Sight.none_of(data)).showing(rows)
        self.know(name, sight)
        return sight

    def told(self, token: str, data: bytes, *, whole: bool) -> None:
        """Note a version that a reply told."""
        assert token == version_token(digest_of(data), whole=whole)
        self.tokens[token] = (data, whole)

    def learn(self, name: str, data: bytes | None, refusal: ReadfirstError) -> None:
        """Note what a refusal shows."""
        if data is None:
            return
        match refusal:
            case NotRead(shown=str(shown)):
                assert self.show(name, data, numbered(shown)).whole
            case Unseen(shown=str(shown)):
                self.show(name, data, numbered(shown))
            case Stale(diff=str(diff)):
                known = [self.sights[other] for other in self.disk.names_of(name) if other in self.sights]
                assert any(patched(sight.version, diff) == data for sight in known), "the diff leaves something out"
                self.know(name, Sight.none_of(data).showing(after_rows(diff)))
            case EditsRefused():
                self.show_closest(name, data, refusal)
            case _:
                pass

    def show_closest(self, name: str, data: bytes, refusal: EditsRefused) -> None:
        text = text_of(data)
        lines = [text[start:end] for start, end in spans_of(text)]
        for failure in refusal.failures:
            if failure.closest is not None:
                rows = [
                    Row(number, line) for number, line in enumerate(failure.closest.text, failure.closest.lines.first)
                ]
                self.show(name, data, [row for row in rows if lines[row.line - 1] == row.text])

    def rename(self, old: str, new: str) -> None:
        """Let sights and changes follow what was called `old`, and forget what was known under its new name."""
        self.sights.pop(new, None)
        self.sights |= {moved(name, old, new): self.sights.pop(name) for name in list(self.sights) if _in(name, old)}
        for entry in self.log:
            if entry.name.startswith(f"{old}/"):
                entry.name = moved(entry.name, old, new)

    def log_move(self, old: str, new: str, node: Node) -> None:
        here = [entry for entry in self.log if entry.name == old]
        # What was done up to a deletion was done to another file that had the name.
        deleted = max((at for at, entry in enumerate(here) if entry.kind == "delete"), default=-1)
        carried = here[deleted + 1 :]
        self.log = [entry for entry in self.log if entry not in carried]
        self.rename(old, new)
        for entry in carried:
            entry.name = new
        self.log += [*carried, Entry("move", new, node, node, source=old, carried=carried)]

    def take_back_move(self, entry: Entry) -> None:
        self.log.remove(entry)
        self.rename(entry.name, entry.source)
        came = [one for one in self.log if one in entry.carried]
        self.log = [one for one in self.log if one not in entry.carried]
        for one in came:
            one.name = entry.source
        self.log += came

    def last_changes(self, names: Iterable[str]) -> list[Entry]:
        """Give the change that an undo at one of these names takes back: the last here, or a move away from here.

        Several files may have been moved away from one name; which of them comes back first is left open.
        """
        for name in names:
            if here := [entry for entry in self.log if entry.name == name]:
                return here[-1:]
        tops = {entry.name: entry for entry in self.log}.values()
        return [entry for entry in tops if entry.kind == "move" and entry.source in names]

    def take_back(self, entry: Entry) -> None:
        """Note that a change of a file's content or name was undone: what was known before it is known again."""
        self.log.remove(entry)
        now = self.sights.pop(entry.name, None)
        if entry.before is None or entry.before.kind != "file":
            return
        before = entry.before.data
        sight = entry.sight
        if entry.after is not None and now is not None and now.version == entry.after.data:
            known = {origin for origin, seen in zip(entry.origins, now.seen, strict=True) if seen}
            seen = [at in known for at in range(len(text_of(before)))]
            if sight is not None:
                seen = [one or other for one, other in zip(seen, sight.seen, strict=True)]
            sight = Sight(before, tuple(seen))
        if sight is not None:
            self.sights[entry.name] = sight


def _in(name: str, directory: str) -> bool:
    return name == directory or name.startswith(f"{directory}/")
