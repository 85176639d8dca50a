"""The command line: what it takes, what it says, and what it exits with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import readfirst
from readfirst.cli import main


def _run(*arguments: str, module: str = "readfirst") -> subprocess.CompletedProcess[str]:
    """Run the program with an input that is at its end."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _without(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program where a module cannot be imported."""
    code = f"import sys; sys.modules[{module!r}] = None; from readfirst.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    """SPEC 9."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"readfirst {readfirst.__version__}\n")


def test_the_help_names_every_argument(capsys: pytest.CaptureFixture[str]) -> None:
    """SPEC 9: `--help` reads well."""
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    assert all(
        name in text
        for name in (
            "DIR",
            "--log-level",
            "--version",
            "a directory that may be used",
            "--read-only",
            "--profile {full,editor}",
        )
    )
    assert all(name in text for name in ("--confine-roots", "--no-roots"))
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--no-roots"], "no argument is a directory: name at least one that exists.", id="never asked"),
        pytest.param(["--confine-roots"], "no argument is a directory: name at least one", id="nothing to narrow"),
        pytest.param(["{root}/missing"], "no argument is a directory ('{root}/missing')", id="missing"),
        pytest.param(["{root}/file", "{root}/x"], "('{root}/file', '{root}/x')", id="a file and a missing one"),
        pytest.param(["{root}/two\nlines"], "('{root}/two\\nlines')", id="control characters escaped"),
    ],
)
def test_without_a_directory_the_program_ends_with_the_reason(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """SPEC 3 (start-up): all of them bad: exit 1; nothing on standard output, which is the wire."""
    (root / "file").write_text("")
    assert main([argument.format(root=root) for argument in arguments]) == 1
    captured = capsys.readouterr()
    assert words.format(root=root) in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    "arguments",
    [["--log-level", "loud", "."], ["--unknown", "."], ["--vers"], ["--log", "debug", "."]],
    ids=["level", "flag", "shortened", "shortened with a value"],
)
def test_a_wrong_argument_ends_with_the_usage(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """SPEC 9: flags are not guessed from their start."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: readfirst" in capsys.readouterr().err


def test_a_bad_directory_beside_a_good_one_is_warned_of_and_skipped(root: Path) -> None:
    """SPEC 3 (start-up); and the end of input ends the server with success."""
    done = _run(str(root / "missing"), str(root))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        f"readfirst: WARNING: '{root}/missing' is not a directory: skipped\n"
        f"readfirst: INFO: allowed directories (from the command line): '{root}'\n"
    )


def test_flags_may_stand_anywhere(root: Path) -> None:
    """SPEC 3 (start-up): between directories, and after `--` there are none."""
    (root / "--version").mkdir()
    for arguments in ([str(root), "--log-level", "error", str(root)], ["--log-level", "error", "--", str(root)]):
        done = _run(*arguments)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = subprocess.run(
        [sys.executable, "-m", "readfirst", "--log-level", "error", "--", "--version"],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_directory_that_cannot_be_opened_is_no_traceback(root: Path) -> None:
    """SPEC 3 (start-up): an argument that is a directory by its link counts, a dangling link does not."""
    (root / "good").symlink_to(root)
    (root / "bad").symlink_to(root / "missing")
    done = _run(str(root / "good"), str(root / "bad"))
    assert done.returncode == 0
    assert done.stderr == (
        f"readfirst: WARNING: '{root}/bad' is not a directory: skipped\n"
        f"readfirst: INFO: allowed directories (from the command line): '{root}/good' (really '{root}')\n"
    )


def test_the_console_script_is_the_module(root: Path) -> None:
    """SPEC 9: the installed command runs `__main__.main`."""
    script = os.path.join(os.path.dirname(sys.executable), "readfirst")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60, check=False, cwd=root)
    assert (done.returncode, done.stdout) == (0, f"readfirst {readfirst.__version__}\n")


def test_an_interrupt_ends_quietly() -> None:
    """SPEC 9: exit 130, and no stack trace; also while imports are still running."""
    code = (
        "import readfirst.cli as c, readfirst.__main__ as m\nc.main = lambda: (_ for _ in ()).throw(KeyboardInterrupt)"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nm.main()"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_fallback_that_is_no_encoding_is_refused_in_one_line(root: Path) -> None:
    """SPEC 4.10: `--fallback-encoding NAME`."""
    done = _run("--fallback-encoding", "no-such", str(root))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "readfirst: 'no-such' is no encoding that can be a fallback.\n"


@pytest.mark.parametrize("state", ["sqlite", "sqlite:", "file:x", ""])
def test_a_state_that_cannot_be_kept_is_refused_in_one_line(root: Path, state: str) -> None:
    """SPEC 2: `--state sqlite:PATH`."""
    done = _run("--state", state, str(root))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"readfirst: --state takes memory, sqlite:PATH or redis://HOST, not {state!r}.\n"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        pytest.param("reddis://:sesame@host", "--state takes memory, sqlite:PATH or redis://HOST", id="scheme"),
        pytest.param("redis::sesame@host", "--state takes memory, sqlite:PATH or redis://HOST", id="slashes"),
        pytest.param("redis://:sesame/1@host", "write redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]", id="not encoded"),
        pytest.param("redis://:sesame@host:x", "write redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]", id="port"),
        pytest.param("redis://:sesame@host?x=y", "write redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]", id="option"),
    ],
)
def test_a_state_that_names_no_server_is_refused_in_one_line_without_its_password(
    root: Path, state: str, words: str
) -> None:
    """SPEC 2: `--state redis://…`."""
    done = _run("--state", state, str(root))
    assert (done.returncode, done.stdout) == (1, "")
    assert (words in done.stderr, done.stderr.count("\n"), "sesame" in done.stderr) == (True, 1, False)


@pytest.mark.parametrize("state", ["redis://127.0.0.1", "rediss://:sesame@127.0.0.1", "unix:///tmp/redis.sock"])
def test_without_the_package_for_redis_the_line_says_how_to_get_it(root: Path, state: str) -> None:
    """SPEC 2: the extra `readfirst[redis]`."""
    done = _without("redis", "--state", state, str(root))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "readfirst: --state redis://… needs a package: pip install 'readfirst[redis]'\n"


def test_another_module_that_is_missing_is_not_hidden(root: Path) -> None:
    """Only `redis` is an extra."""
    done = _without("readfirst.sessions.redis_scripts", "--state", "redis://127.0.0.1", str(root))
    assert (done.returncode, done.stdout) == (1, "")
    assert "ModuleNotFoundError" in done.stderr.splitlines()[-1]


def test_a_server_that_cannot_be_reached_is_no_reason_to_end(root: Path) -> None:
    """SPEC 2, stores: reads still work."""
    done = _run("--state", "redis://127.0.0.1:1", "--log-level", "error", str(root))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_an_argument_the_client_has_to_name_directories() -> None:
    """SPEC 3 (start-up): nobody came, so nobody was turned away."""
    done = _run()
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "readfirst: WARNING: no allowed directories (from the command line)\n"


@pytest.mark.parametrize(("directory", "what"), [("/", "the whole filesystem"), ("~", "the home directory")])
def test_a_directory_that_holds_everything_is_warned_of(home: Path, directory: str, what: str) -> None:
    """SPEC 3 (start-up), 7; HOSTILE 19."""
    path = str(home) if directory == "~" else directory
    done = _run(path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines()[1:] == [
        f"readfirst: WARNING: {path!r} is {what}: agents can reach all that is in it"
    ]


def test_a_control_character_in_a_directory_cannot_act_in_the_log(root: Path) -> None:
    """SPEC 9: logs escape control characters."""
    (root / "a\x1b[2J\nb").mkdir()
    done = _run(str(root / "a\x1b[2J\nb"))
    assert done.stderr == f"readfirst: INFO: allowed directories (from the command line): '{root}/a\\x1b[2J\\nb'\n"
