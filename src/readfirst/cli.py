"""The command line: arguments and environment become a `Settings` and a workspace, and a transport runs.

The only reader of `sys.argv` and of the environment. `--help` and `--version` answer before the SDK is imported.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Final

from readfirst.content.encodings import codec_name
from readfirst.sessions.memory import MemoryStore
from readfirst.sessions.store import SessionStore
from readfirst.settings import PROFILES, Settings

_log = logging.getLogger(__name__)

_LEVELS: Final = ("debug", "info", "warning", "error")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; gives its exit status."""
    options = _options(list(sys.argv[1:] if argv is None else argv))
    _log_to_stderr(options.log_level)
    directories = [name for name in options.directories if os.path.isdir(name)]
    skipped = [name for name in options.directories if name not in directories]
    if not directories and (skipped or options.no_roots or options.confine_roots):
        named = f" ({', '.join(map(repr, skipped))})" if skipped else ""
        return _ends(f"no argument is a directory{named}: name at least one that exists.")
    for name in skipped:
        _log.warning("%r is not a directory: skipped", name)
    fallback = codec_name(options.fallback_encoding) if options.fallback_encoding else ""
    if options.fallback_encoding and not fallback:
        return _ends(f"{options.fallback_encoding!r} is no encoding that can be a fallback.")
    profile = PROFILES[options.profile]
    settings = replace(profile, read_only=options.read_only, fallback_encoding=fallback)
    return _serve(directories, settings, options)


def _ends(reason: str) -> int:
    """Say why the program cannot run, and give its exit status."""
    print(f"readfirst: {reason}", file=sys.stderr)  # noqa: T201
    return 1


def _log_to_stderr(level: str) -> None:
    """Log to standard error; of other packages only warnings, since their details hold what is in files."""
    logging.basicConfig(stream=sys.stderr, level="WARNING", format="readfirst: %(levelname)s: %(message)s")
    logging.getLogger("readfirst").setLevel(level.upper())


def _state_directory() -> str:
    """Give where the XDG base directory specification puts state."""
    home = os.environ.get("XDG_STATE_HOME", "")
    return os.path.join(home if home.startswith("/") else os.path.expanduser("~/.local/state"), "readfirst")


def _options(arguments: list[str]) -> argparse.Namespace:
    """Parse flags that stand anywhere; what follows `--` are directories, whatever they look like."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = _parser().parse_intermixed_args(arguments[:end])
    options.directories += arguments[end + 1 :]
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="readfirst",
        description="MCP filesystem server for coding agents, on standard input and output. "
        "Files in the directories can be read, and edited once they have been read.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "directories",
        nargs="*",
        metavar="DIR",
        help="a directory that may be used, with all below it; a client that names roots replaces them",
    )
    parser.add_argument("--confine-roots", action="store_true", help="let a client's roots only narrow the directories")
    parser.add_argument("--no-roots", action="store_true", help="never ask a client for its roots")
    parser.add_argument("--read-only", action="store_true", help="offer only the tools that change nothing")
    parser.add_argument(
        "--profile",
        choices=list(PROFILES),
        default="full",
        help="which tools are offered: all of them, or only read, edit and write for small models",
    )
    parser.add_argument("--log-level", choices=_LEVELS, default="info", help="what is logged to standard error")
    parser.add_argument(
        "--fallback-encoding",
        metavar="NAME",
        help="encoding of files that are not UTF-8 and declare none, for example cp1252",
    )
    parser.add_argument(
        "--state",
        default="memory",
        metavar="memory|sqlite:PATH|redis://HOST",
        help="where what was read is remembered; in a file or a Redis server it outlives a restart under the same "
        "--session, and a server can be shared (redis://[:PASSWORD@]HOST[:PORT][/DB])",
    )
    parser.add_argument(
        "--session", default="", metavar="NAME", help="name of the session; without one, each process is its own"
    )
    parser.add_argument("--version", action="version", version=f"readfirst {version('readfirst')}")
    return parser


def _serve(directories: list[str], settings: Settings, options: argparse.Namespace) -> int:
    try:
        store = _store(options.state, settings)
    except _NoStoreError as error:
        return _ends(str(error))
    # The protocol models that are built here all stay: collecting meanwhile would find nothing.
    gc.disable()
    import anyio  # noqa: PLC0415 - --help must not wait for it

    from readfirst.server.app import build  # noqa: PLC0415 - as above: it imports the SDK
    from readfirst.server.roots import ClientRoots, announce  # noqa: PLC0415
    from readfirst.server.stdio import serve  # noqa: PLC0415
    from readfirst.workspace.context import Workspace  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    with Workspace(
        directories, settings=settings, store=store, state_directory=_state_directory(), private=_files(options.state)
    ) as workspace:
        roots = ClientRoots(workspace, confined=options.confine_roots, asks=not options.no_roots)
        announce(workspace.roots, "from the command line")
        finished = anyio.run(serve, build(workspace, options.session, roots), workspace, roots)
    status = 1 if roots.useless else 0
    if not finished or roots.stuck:
        # A call hangs in the kernel; its thread would keep the process from ending.
        os._exit(status)
    return status


class _NoStoreError(Exception):
    """`--state` names no store; the text says why, and never a password."""


def _store(state: str, settings: Settings) -> SessionStore:
    """Make the store that `--state` names; what is outside this process is imported only for that."""
    kind, _, path = state.partition(":")
    if state == "memory":
        return MemoryStore(settings)
    if kind == "sqlite" and path:
        from readfirst.sessions.sqlite import SQLiteStore  # noqa: PLC0415

        return SQLiteStore(path, settings)
    if kind in {"redis", "rediss", "unix"} and path.startswith("//"):
        return _redis(state, settings)
    shown = repr(state) if "@" not in state else "what was given"
    raise _NoStoreError(f"--state takes memory, sqlite:PATH or redis://HOST, not {shown}.")


def _redis(url: str, settings: Settings) -> SessionStore:
    try:
        from readfirst.sessions.redis import RedisStore  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        raise _NoStoreError("--state redis://… needs a package: pip install 'readfirst[redis]'") from error
    try:
        return RedisStore(url, settings)
    except ValueError as error:
        raise _NoStoreError(f"--state names no Redis server: {error}.") from error


def _files(state: str) -> list[str]:
    """Give the files in which `--state` keeps records; no tool may touch them."""
    kind, _, path = state.partition(":")
    return [f"{os.path.abspath(path)}{suffix}" for suffix in ("", "-wal", "-shm")] if kind == "sqlite" else []
