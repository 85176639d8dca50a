"""The engine of `edit_file` as a function of bytes, for scoring it on any corpus."""

from collections.abc import Sequence
from typing import Any

from readfirst.content.codec import decode, detect, encode
from readfirst.edits.plan import Edit, NoPlan, plan
from readfirst.errors import ContentRefused, EditsRefused


def apply_edits(data: bytes, edits: Sequence[dict[str, Any]]) -> bytes:
    """Give the edited file, or raise a refusal that has a `code`."""
    if (encoding := detect(data)) is None:
        raise ContentRefused("not_text", "")
    document = decode(data, encoding)
    planned = plan(document, [Edit(one["old"], one["new"], one.get("replace_all", False)) for one in edits])
    if isinstance(planned, NoPlan):
        raise EditsRefused(planned.failures[0].code, "", failures=planned.failures)
    return encode(document, planned.body)
