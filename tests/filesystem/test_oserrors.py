"""What the operating system said, as a refusal with a code."""

from __future__ import annotations

import errno
import os

import pytest

from readfirst.errors import DiskRefused, PathRefused
from readfirst.filesystem.oserrors import refusal_of, translated


@pytest.mark.parametrize(
    ("number", "kind", "code"),
    [
        (errno.ENOENT, PathRefused, "not_found"),
        (errno.ENOTDIR, PathRefused, "not_a_directory"),
        (errno.EISDIR, PathRefused, "not_a_file"),
        (errno.ELOOP, PathRefused, "too_many_links"),
        (errno.ENAMETOOLONG, PathRefused, "name_too_long"),
        (errno.EINVAL, PathRefused, "invalid_path"),
        (errno.EACCES, DiskRefused, "permission"),
        (errno.EPERM, DiskRefused, "permission"),
        (errno.EROFS, DiskRefused, "permission"),
        (errno.EEXIST, DiskRefused, "exists"),
        (errno.ENOSPC, DiskRefused, "no_space"),
        (errno.EDQUOT, DiskRefused, "no_space"),
        (errno.EFBIG, DiskRefused, "no_space"),
        (errno.EBUSY, DiskRefused, "busy"),
        (errno.ETXTBSY, DiskRefused, "busy"),
        (errno.EIO, DiskRefused, "io_error"),
        (errno.EMFILE, DiskRefused, "io_error"),
        (errno.ESTALE, DiskRefused, "io_error"),
    ],
    ids=lambda value: errno.errorcode.get(value) if isinstance(value, int) else None,
)
def test_every_error_number_has_a_kind_and_a_code(number: int, kind: type[Exception], code: str) -> None:
    """SPEC 5: a stable code."""
    refusal = refusal_of(OSError(number, os.strerror(number)), "given")
    assert (type(refusal), refusal.code, refusal.path) == (kind, code, "given")


def test_an_error_without_a_number_is_an_input_output_error() -> None:
    """SPEC 5: nothing is left without a code."""
    refusal = refusal_of(OSError("strange"), "given")
    assert isinstance(refusal, DiskRefused)
    assert (refusal.code, refusal.detail) == ("io_error", "")
    assert str(refusal) == "io_error: given"


def test_an_error_of_a_block_names_the_path_and_keeps_its_cause() -> None:
    """STYLE: OSError is translated where the path is known."""
    with pytest.raises(DiskRefused) as refused, translated("given"):
        raise OSError(errno.EIO, "Input/output error")
    assert (refused.value.path, refused.value.detail) == ("given", "Input/output error")
    assert isinstance(refused.value.__cause__, OSError)
