#!/usr/bin/env python3
"""Mutation testing: mutants.py [--count 3] [--seed 1] [--rooms fit,table] [--ref HEAD] WORK

Takes the sources of a commit, changes an operator or a condition in `count` places of each room,
and runs the tests of the room and, if those pass, the tests of the whole program: a mutant that no
test notices points at a missing test. All mutants are compiled into one program, where the
environment variable PERFMODEL_MUTANT switches one on (mutant schemata: Untch, Offutt, Harrold
1993), so that a mutant costs a run of tests, not a build. WORK is a folder for the sources and the
build. Prints a line per mutant, then the share killed; exit code 1 if that is below --bar.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import time

SWITCH = r"""
#include <cstdlib>
bool perfmodel_mutant(int number) {
  static const char* const chosen = std::getenv("PERFMODEL_MUTANT");
  static const int on = chosen == nullptr ? -1 : std::atoi(chosen);
  return on == number;
}
"""
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
         "+": "-", "-": "+", "*": "/", "/": "*", "&&": "||", "||": "&&"}
# The operators of C++ from weak to strong; an operand ends at an operator that is not stronger.
STRENGTH = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "<<": 5, ">>": 5,
            "+": 6, "-": 6, "*": 7, "/": 7, "%": 7}
KINDS = {"condition": ("&&", "||"), "comparison": ("<", "<=", ">", ">=", "==", "!="),
         "arithmetic": ("+", "-", "*", "/")}
OPERATOR = re.compile(r"(?<= )(\|\||&&|==|!=|<=|>=|<<|>>|[-+*/%<>])(?=[ \n])")
ASSIGNMENT = re.compile(r" ([-+*/%|&]?=|\?|:)[ \n]|\breturn\b|\bcase\b|\bthrow\b|\belse\b")

Mutant = collections.namedtuple("Mutant", "room file line kind what start end text")


def masked(text):
    """The text with blanks in place of comments, literals and directives, of the same length."""
    blank = lambda found: re.sub(r"[^\n]", " ", found.group())
    pattern = (r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
               r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^\s*#[^\n]*(?:\\\n[^\n]*)*")
    return re.sub(pattern, blank, text, flags=re.S | re.M)


def operand(code, at, step, strength):
    """The end of the operand that begins at `at`, in the direction of `step`."""
    closing = ")]}" if step > 0 else "([{"
    opening = "([{" if step > 0 else ")]}"
    depth = 0
    while 0 <= at < len(code):
        char = code[at]
        if char in closing:
            if depth == 0:
                return at
            depth -= 1
        elif char in opening:
            depth += 1
        elif depth == 0:
            if char in ";,":
                return at
            here = OPERATOR.match(code, at)
            if here and (STRENGTH[here[1]] <= strength if step > 0
                         else STRENGTH[here[1]] < strength):
                return at if step > 0 else here.end(1) - 1
            word = ASSIGNMENT.match(code, at)
            if word and not (step > 0 and char != " "):
                return at if step > 0 else word.end() - 1
        at += step
    return at


def of_operators(text, code):
    for found in OPERATOR.finditer(code):
        sign = found[1]
        kind = next((kind for kind, signs in KINDS.items() if sign in signs), None)
        if kind is None:
            continue
        left = operand(code, found.start() - 1, -1, STRENGTH[sign]) + 1
        right = operand(code, found.end(), 1, STRENGTH[sign])
        first, second = text[left:found.start()].strip(), text[found.end():right].strip()
        if not first or not second or "{" in first or "//" in first + second:
            continue
        if kind == "arithmetic" and '"' in first + second:
            continue  # text
        left += len(text[left:found.start()]) - len(text[left:found.start()].lstrip())
        right -= len(text[found.end():right]) - len(text[found.end():right].rstrip())
        yield (kind, f"{first} {sign} {second} -> {OTHER[sign]}", left, right,
               f"(perfmodel_mutant(@) ? (({first}) {OTHER[sign]} ({second})) : "
               f"({first} {sign} {second}))")


def of_conditions(text, code):
    for found in re.finditer(r"\b(?:if|while) \(", code):
        end = operand(code, found.end(), 1, 0)
        inner = text[found.end():end]
        if code[end] != ")" or "//" in inner or re.search(r"(?<![=!<>])=(?!=)", code[found.end():end]):
            continue  # declares a variable
        yield ("condition", f"not ({inner})", found.end(), end,
               f"perfmodel_mutant(@) != static_cast<bool>({inner})")


def candidates(root, room):
    for path in sorted((root / "src").glob(f"*/{room}/*.cpp")):
        text = path.read_text()
        code = masked(text)
        for kind, what, start, end, new in [*of_operators(text, code), *of_conditions(text, code)]:
            yield Mutant(room, path, text.count("\n", 0, start) + 1, kind, " ".join(what.split()),
                         start, end, new)


def applied(text, mutants):
    """The source with its mutants, by their numbers, each in its line. None may overlap."""
    for number, mutant in sorted(mutants.items(), key=lambda item: -item[1].start):
        lines = text.count("\n", mutant.start, mutant.end)
        new = " ".join(mutant.text.split()).replace("@", str(number)) + "\n" * lines
        text = text[:mutant.start] + new + text[mutant.end:]
    return "bool perfmodel_mutant(int number);\n#line 1\n" + text


def chosen(root, room, count, random_stream):
    """`count` mutants of the room, of the kinds in turn, that do not overlap."""
    pool = {kind: [] for kind in KINDS}
    for mutant in candidates(root, room):
        pool[mutant.kind].append(mutant)
    for of_kind in pool.values():
        random_stream.shuffle(of_kind)
    out = []
    for kind in (list(KINDS) * count)[:count]:
        while pool[kind]:
            mutant = pool[kind].pop()
            if not any(m.file == mutant.file and m.start < mutant.end and mutant.start < m.end
                       for m in out):
                out.append(mutant)
                break
    return out


def built(build, mutants, jobs):
    """Builds the program with the mutants, by their numbers. Returns those that are C++."""
    texts = {mutant.file: mutant.file.read_text() for mutant in mutants.values()}
    while True:
        for path, text in texts.items():
            new = applied(text, {n: m for n, m in mutants.items() if m.file == path})
            if new != path.read_text():
                path.write_text(new)
        done = subprocess.run(["cmake", "--build", build, "--parallel", str(jobs), "--", "-k", "0"],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return mutants
        wrong = {(pathlib.Path(found[1]).name, int(found[2])) for found in re.finditer(
            r"^(\S+\.cpp):(\d+):\d+: (?:error|  required from)", done.stdout, flags=re.M)}
        kept = {n: m for n, m in mutants.items() if (m.file.name, m.line) not in wrong}
        if len(kept) == len(mutants):
            sys.exit(done.stdout)
        mutants = kept


def commands_of(root, tests, folder, which=""):
    """What runs the tests of a folder; of those that repeat whole fits, there are no transcripts."""
    if folder == "transcripts":
        pages = sorted((root / "tests" / folder).glob("*.md")) if which != "[whole-fits]" else []
        return [[tests.parent / "perfmodel_transcripts", page] for page in pages]
    which += (tests.parent / "left-out.txt").read_text().strip()
    spec = ",".join(f"[#{path.stem}]{which}"
                    for path in sorted((root / "tests" / folder).glob("*_test.cpp")))
    return [[tests, "--filenames-as-tags", "--abort", spec]]


def folders_of(root, room):
    """The folders with tests of the room, its own first. Forms are tested by their fits, and the
    files of some rooms were tested before they stood there."""
    beside = {"forms": ["fit"], "fit": ["trust"], "roles": ["columns"], "effects": ["analysis"],
              "storage": ["base"], "many": ["report"]}.get(room, [])
    return [folder for folder in [room, f"tools/{room}", *beside, "cli", "transcripts"]
            if (root / "tests" / folder).exists()]


def passes(root, commands, number, limit):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if number is not None:
        environment["PERFMODEL_MUTANT"] = str(number)
    try:
        return all(subprocess.run(command, cwd=root, env=environment, capture_output=True,
                                  timeout=limit, check=False).returncode == 0
                   for command in commands)
    except subprocess.TimeoutExpired:
        return False


def verdict(root, tests, room, number, limits):
    for folder in folders_of(root, room):
        for which in ("~[whole-fits]", "[whole-fits]"):  # the quick ones first
            if not passes(root, commands_of(root, tests, folder, which), number,
                          limits[folder]):
                return f"killed by {folder}"
    return "SURVIVED"


def build_of(root, ref):
    source = pathlib.Path(__file__).resolve().parent.parent
    if not root.exists():
        root.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", ref], cwd=source, capture_output=True, check=True)
        subprocess.run(["tar", "x"], cwd=root, input=archive.stdout, check=True)
    subprocess.run(["cmake", "--preset", "release"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    return root / "build" / "release"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=3, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", help="A,B,...; all")
    parser.add_argument("--ref", default="HEAD")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--bar", type=float, default=0, help="smallest share killed, percent")
    options = parser.parse_args()
    root = options.work.resolve() / "source"
    if root.exists():
        sys.exit(f"{root} exists: give a new folder")
    build = build_of(root, options.ref)
    rooms = sorted({path.parent.name for path in (root / "src").glob("*/*/*.cpp")})
    if options.rooms:
        rooms = options.rooms.split(",")

    with open(root / "src" / "engine" / "base" / "text.cpp", "a") as switch:
        switch.write(SWITCH)
    mutants = built(build, dict(enumerate(
        mutant for room in rooms
        for mutant in chosen(root, room, options.count, random.Random(f"{options.seed} {room}")))),
                    options.jobs)

    tests = build / "tests" / "perfmodel_tests"
    limits = {}
    for folder in {folder for room in rooms for folder in folders_of(root, room)}:
        start = time.monotonic()
        if not passes(root, commands_of(root, tests, folder), None, None):
            sys.exit(f"the tests of {folder} fail without a mutant")
        limits[folder] = 60 + 5 * options.jobs * (time.monotonic() - start)

    def judged(item):
        number, mutant = item
        return verdict(root, tests, mutant.room, number, limits)

    survived = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (number, mutant), result in zip(mutants.items(), pool.map(judged, mutants.items())):
            survived += result == "SURVIVED"
            print(f"{number:4} {mutant.room:9} {mutant.kind:10} {result:18} "
                  f"{mutant.file.relative_to(root)}:{mutant.line}: {mutant.what}", flush=True)
    share = 100 * (len(mutants) - survived) / max(1, len(mutants))
    print(f"{len(mutants) - survived} of {len(mutants)} killed: {share:.0f} %")
    sys.exit(share < options.bar)


if __name__ == "__main__":
    main()
