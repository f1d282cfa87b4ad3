#!/usr/bin/env python3
"""Shows that two programs do the same: same_output.py OLD NEW RUNS.csv ... [--cache DIR] [--quick]
[--tolerance X]

Gives the command lines of same_output_cases.py to both and compares, byte by byte, standard output,
standard error, exit codes and the files that are written; times that a clock has measured are
masked. Files of runs above 2000 rows are fitted and predicted only. Files of layers (a column
`layer`) and of latencies (columns bytes, latency_us) go to `ssgd`. Prints each difference and a
count; exit code 1 where there is one. With --tolerance, numbers may differ by that share of the
larger one, as after another order of additions. --cache keeps what OLD has said in a folder, for
the next comparison with the same OLD.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import json
import math
import os
import pathlib
import pickle
import re
import resource
import subprocess
import sys
import tempfile

import same_output_cases as cases

LIMIT_SECONDS = 3600
VARIABLE = re.compile(r"[A-Z_]+=")
NUMBER = re.compile(rb"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")
CLOCK = [(re.compile(rb"((?:evaluations|in all), )[0-9.]+ (s|ms)"), rb"\1TIME"),
         (re.compile(rb'("(?:fit_)?seconds": )[-+0-9.e]+'), rb"\1TIME"),
         (re.compile(rb"(?m)^(.*,(?:train|validation|test),.*,)[-+0-9.e]+$"), rb"\1TIME")]


def masked(text, argv):
    for pattern, replacement in CLOCK:
        text = pattern.sub(replacement, text)
    if argv[:1] == ["compare"]:  # the last column of its table is the time of a fit
        head = re.compile(rb"(?m)^(.*train MAPE.*?) *(\|?) *fit \[s\] *(\|?)$")
        if head.search(text):
            text = head.sub(rb"\1", text)
            text = re.sub(rb"(?m)^(.* %.*? %) *\|? +[-+0-9.e]+ *\|?$", rb"\1", text)
            text = re.sub(rb"(?m)-+( \| ?|$)", rb"-\1", text)
        text = re.sub(rb"(?m)( \\% & )[-+0-9.e]+( \\\\)$", rb"\1TIME\2", text)
    return text


def ask(program, argv, folder):
    """Exit code, standard output, standard error. `argv` may begin with variables: NAME=VALUE."""
    first = next((i for i, word in enumerate(argv) if not VARIABLE.match(word)), len(argv))
    variables = dict(word.split("=", 1) for word in argv[:first])
    argv = argv[first:]
    try:
        done = subprocess.run([program, *argv], cwd=folder, capture_output=True,
                              env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
                              timeout=LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "no end", b"", b""
    return done.returncode, masked(done.stdout, argv), masked(done.stderr, argv)


def place(chain, folder):
    for name, source in chain.files.items():
        data = source if isinstance(source, bytes) else source.read_bytes()
        (folder / name).write_bytes(data)


def writer_of(name, chain):
    """The command that has written a file."""
    return next((argv for argv in chain.commands if name in argv), [])


def answers(program, chain):
    """What each command has said, then the files that are there at the end."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        place(chain, folder)
        said = [ask(program, argv, folder) for argv in chain.commands]
        written = {name: masked(path.read_bytes(), writer_of(name, chain))
                   for path in sorted(folder.rglob("*"))
                   if path.is_file() and (name := str(path.relative_to(folder))) not in chain.files}
    return said, written


def digest(*parts):
    out = hashlib.sha256()
    for part in parts:
        out.update(part if isinstance(part, bytes) else part.encode())
        out.update(b"\0")
    return out.hexdigest()


def key_of(program_digest, chain):
    files = [digest(name, source if isinstance(source, bytes) else source.read_bytes())
             for name, source in sorted(chain.files.items())]
    return digest(program_digest, json.dumps(chain.commands), *files)


def kept_answers(program, program_digest, chain, cache):
    if cache is None:
        return answers(program, chain)
    file = cache / key_of(program_digest, chain)
    if file.exists():
        return pickle.loads(file.read_bytes())
    found = answers(program, chain)
    if any(answer[0] == "no end" for answer in found[0]):
        return found  # the machine may be less busy next time
    part = file.with_suffix(".part")
    part.write_bytes(pickle.dumps(found))
    part.rename(file)
    return found


def same(one, other, tolerance):
    """Whether two texts are the same, but for numbers that differ by rounding."""
    if one == other or not tolerance:
        return one == other
    old, new = NUMBER.split(one), NUMBER.split(other)
    return len(old) == len(new) and all(
        x == y or (i % 2 == 1 and math.isclose(float(x), float(y), rel_tol=tolerance))
        for i, (x, y) in enumerate(zip(old, new)))


def first_differences(name, old, new):
    lines = [bytes(text).decode(errors="replace").splitlines() for text in (old, new)]
    changed = list(difflib.unified_diff(*lines, "old", "new", lineterm="", n=0))
    return [f"  {name}:"] + ["    " + line[:200] for line in changed[2:12]]


def differences(chain, old, new, tolerance):
    """One list of lines per command or file that differs."""
    out = []
    for argv, before, after in zip(chain.commands, old[0], new[0]):
        found = []
        if before[0] != after[0]:
            found.append(f"  exit code {before[0]}, now {after[0]}")
        for name, one, other in (("stdout", before[1], after[1]), ("stderr", before[2], after[2])):
            if not same(one, other, tolerance):
                found += first_differences(name, one, other)
        if found:
            out.append([f"{chain.name}: perfmodel " + " ".join(argv)[:300]] + found)
    for name in sorted(old[1].keys() | new[1].keys()):
        one, other = old[1].get(name), new[1].get(name)
        if one is None or other is None:
            out.append([f"{chain.name}: {name} is written by one only"])
        elif not same(one, other, tolerance):
            out.append([f"{chain.name}: {name}"] + first_differences("file", one, other))
    return out


def inputs_of(program, runs):
    """The columns that a model of these runs asks for, and which of them are scales; None where it
    cannot be fitted."""
    with tempfile.TemporaryDirectory() as folder:
        fit = cases.command(f"fit {runs.path.resolve()} {runs.roles} --search generations=1 --quiet")
        done = subprocess.run([program, *fit], cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        return None
    constants = json.loads(done.stdout)["constants"]
    columns = {kind: [part["column"] for part in constants[kind]]
               for kind in ("intrinsic", "categorical", "extrinsic")}
    return sum(columns.values(), []), columns["extrinsic"]


def all_chains(program, paths):
    out = [cases.malformed_chain(), cases.paper_chain(), cases.help_chain()]
    layers, latencies, first = [], [], True
    for path in paths:
        header = path.open().readline().strip().split(",")
        if header[0] == "layer":
            layers.append(path)
        elif header == ["bytes", "latency_us"]:
            latencies.append(path)
        else:
            runs = cases.Runs(path)
            inputs = inputs_of(program, runs)
            if inputs is None:
                out.append(cases.Chain(f"{path.name}, refused", [cases.command(
                    f"fit {path.name} {runs.roles}")], {path.name: path}, True))
                continue
            out += cases.chains_of_runs(runs, *inputs, first and len(runs.rows) < cases.MOST_ROWS)
            first = first and len(runs.rows) >= cases.MOST_ROWS
    return out + cases.chains_of_layers(layers, latencies)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="a part that ends within two minutes")
    parser.add_argument("--tolerance", type=float, default=0, metavar="X",
                        help="how much numbers may differ, relatively")
    parser.add_argument("--only", metavar="TEXT", help="chains whose name holds this text")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.cache:
        options.cache.mkdir(parents=True, exist_ok=True)
    old, new = options.old.resolve(), options.new.resolve()
    old_digest = digest(old.read_bytes())
    chains = [chain for chain in all_chains(old, options.runs)
              if (chain.quick or not options.quick) and (options.only or "") in chain.name]

    def compare(chain):
        return differences(chain, kept_answers(old, old_digest, chain, options.cache),
                           answers(new, chain), options.tolerance)

    commands = sum(len(chain.commands) for chain in chains)
    found = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lists in pool.map(compare, chains):
            found += len(lists)
            for lines in lists:
                print("\n".join(lines), flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{found} differences in {commands} commands of {len(chains)} chains "
          f"({used.ru_utime + used.ru_stime:.0f} CPU s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
