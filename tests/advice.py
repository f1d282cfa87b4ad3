#!/usr/bin/env python3
"""Executes every command that perfmodel advises about some tables, and lists those that fail.

Usage: advice.py PROGRAM FILE...

For each table, the usual commands run in a folder of their own that holds a copy of the file. Each command that
their messages or their text spell out is then run by a shell exactly as printed. It has to end with exit code 0 and
to print something or to write a new file. The exit code is 1 if there is a failure.
"""

import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# No command on these tables may take longer than this, in seconds.
TIME_LIMIT = 600
# Advice stands in a line of its own behind two blanks, or between quotes within a message.
ADVICE = re.compile(r"^  (perfmodel [a-z].*)$|'(perfmodel [a-z][^'\n]*)'|`(perfmodel [a-z][^`\n]*)`", re.MULTILINE)
# A word of capitals, such as MODEL, RUNS.csv or COL=VALUE, stands for something that the reader has to fill in.
PLACEHOLDER = re.compile(r"[A-Z][A-Z_]+(\.[a-z]+|=[A-Z]+)?")


@dataclasses.dataclass(frozen=True)
class Failure:
    """An advised command that failed, and what had advised it."""

    file: str
    adviser: str
    advised: str
    code: int
    error: str


@dataclasses.dataclass
class Tally:
    """What has been executed so far."""

    executed: int = 0
    skipped: int = 0
    failures: list[Failure] = dataclasses.field(default_factory=list)


def usual_commands(name: str, other: str) -> list[str]:
    """The commands whose advice is wanted, in an order in which each finds the models that it reads."""
    table = shlex.quote(name)
    commands = []
    for model, form in (("generic.json", ""), ("auto.json", " --expression auto")):
        commands.append(f"perfmodel fit {table}{form} -o {model}")
        commands.append(f"perfmodel evaluate {model} {table}")
        commands += [f"perfmodel {command} {model}" for command in ("suggest --next 3", "scaling", "show")]
        commands.append(f"perfmodel suggest {model} {table} --next 3")
    return [*commands, f"perfmodel scaling {table}", f"perfmodel diff {table} {other}"]


def run(command: str, folder: pathlib.Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """The exit code, standard output and standard error of a command; timeout ends it with code 124."""
    call = ["timeout", str(TIME_LIMIT), "sh", "-c", command]
    done = subprocess.run(
        call, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    return done.returncode, done.stdout, done.stderr


def advised_commands(text: str) -> list[str]:
    """The commands that a text spells out, each once."""
    found = [next(filter(None, match)) for match in ADVICE.findall(text)]
    return list(dict.fromkeys(found))


def has_placeholder(command: str, known: str) -> bool:
    """Whether a word of a command stands for something else; the name of the file and its words do not."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return any("..." in word or (PLACEHOLDER.fullmatch(word) and word not in known) for word in words)


def first_error(code: int, errors: str) -> str:
    """The first line that tells why a command failed."""
    lines = [line for line in errors.splitlines() if line]
    reasons = [line for line in lines if code != 0 and "error:" in line]
    return next(iter(reasons + lines), "no output")


def execute(advised: str, folder: pathlib.Path, environment: dict[str, str]) -> tuple[int, str] | None:
    """Runs a command in a copy of the folder, so that advice does not change the files of other advice.

    Returns nothing if all is well, else the exit code and the error.
    """
    with tempfile.TemporaryDirectory() as parent:
        copy = pathlib.Path(shutil.copytree(folder, pathlib.Path(parent) / "copy"))
        code, output, errors = run(advised, copy, environment)
        written = any(not (folder / file.name).exists() and file.stat().st_size for file in copy.iterdir())
    if code == 0 and (output or errors or written):
        return None
    return code, first_error(code, errors)


def check(file: pathlib.Path, environment: dict[str, str], tally: Tally) -> None:
    """Runs the usual commands on a file, and what they advise; each advised command is run once per file."""
    with tempfile.TemporaryDirectory() as parent:
        folder = pathlib.Path(parent)
        other = "other" + file.suffix
        for name in (file.name, other):
            shutil.copy(file, folder / name)
        known = file.name + file.read_text(errors="replace")
        advice: dict[str, str] = {}
        for command in usual_commands(file.name, other):
            _, output, errors = run(command, folder, environment)
            for advised in advised_commands(f"{errors}\n{output}"):
                advice.setdefault(advised, command)
        for advised, adviser in advice.items():
            if has_placeholder(advised, known):
                tally.skipped += 1
                continue
            tally.executed += 1
            problem = execute(advised, folder, environment)
            if problem:
                tally.failures.append(Failure(str(file), adviser, advised, *problem))


def main(program: str, *files: str) -> int:
    """Checks all files, and prints the failures."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "perfmodel").symlink_to(pathlib.Path(program).resolve())
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        for file in files:
            check(pathlib.Path(file), environment, tally)
    for failure in tally.failures:
        print(f"{failure.file}\n  {failure.adviser}\n  advised: {failure.advised}")
        print(f"  exit code {failure.code}: {failure.error}")
    skipped = f"{tally.skipped} with placeholders skipped"
    print(f"{tally.executed} advised commands executed, {skipped}, on {len(files)} files")
    print(f"{len(tally.failures)} failed")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
