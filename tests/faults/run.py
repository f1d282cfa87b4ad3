#!/usr/bin/env python3
"""What happens to files when calls fail: run.py PROGRAM [--allocations 60] [--kills 300] [--only NAME]

Runs every command that writes a file with each of its calls of write, fsync, rename, open and read
failing once, with a number of its allocations failing, killed at random times, on a full and on a
read-only file system (as root), and twice at once on one output. Then there is the old file or the
whole new one, nothing else is left in the folder, and the exit code is a documented one with a
message. Prints a line per command; exit code 1 if anything else was seen.
"""
import argparse
import errno
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
RUNS = HERE.parent.parent / "data" / "lenet5_test300.csv"
EXIT_CODES = {0, 1, 2, 3, 4, 5, 6}
FAULTS = [("write", errno.ENOSPC), ("write", errno.EIO), ("fsync", errno.EIO),
          ("rename", errno.EACCES), ("open", errno.EMFILE), ("read", errno.EIO)]
CLOCK = re.compile(rb'("(?:fit_)?seconds": )[-+0-9.e]+')

# Name: what is written, and the command; `{}` is the output, `{folder}` what precedes its name.
FIT = ["fit", "runs.csv", "--quiet"]
COMMANDS = {
    "fit": ("model.json", FIT + ["-o", "{}"]),
    "fit of a sum": ("model.json", FIT + ["--expression", "multi", "--terms", "1", "-o", "{}"]),
    "fit of a set": ("set.jsonl", FIT + ["--by", "dataset", "-o", "{}"]),
    "merge": ("whole.json", ["merge", "half-1.jsonl", "half-2.jsonl", "--quiet", "-o", "{}"]),
    "predict": ("times.csv", ["predict", "ready.json", "runs.csv", "--quiet", "-o", "{}"]),
    "evaluate": ("residuals.csv",
                 ["evaluate", "ready.json", "runs.csv", "--quiet", "--residuals", "{}"]),
    "report": ("page.html", ["report", "ready.json", "runs.csv", "--quiet", "-o", "{}"]),
    "simulate": ("made.csv", ["simulate", "ready.json", "inputs.csv", "--quiet", "-o", "{}"]),
    "plan": ("plan.csv", ["plan", "space.json", "-n", "6", "--quiet", "-o", "{}"]),
    "completions": ("shell", ["completions", "bash", "-o", "{}"]),
}
OLD = b"an old file\n"


class Trial:
    """A command in a folder of its own, with an old file at its output."""

    def __init__(self, program, shim, name):
        self.program, self.shim = program, shim
        self.output, self.words = COMMANDS[name]
        self.faults = []

    def fresh(self, folder):
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in self.inputs.iterdir():
            shutil.copy(path, folder)
        (folder / self.output).write_bytes(OLD)
        return folder

    def words_at(self, folder=""):
        return [word.replace("{}", folder + self.output).replace("{folder}", folder)
                for word in self.words]

    def run(self, folder, fault=None, count=None, words=None, limit=120):
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        if fault:
            environment |= {"LD_PRELOAD": str(self.shim), "PERFMODEL_FAULT": fault}
        if count:
            environment["PERFMODEL_FAULT_COUNT"] = str(count)
        return subprocess.run([self.program, *(words or self.words_at())], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=limit,
                              check=False)

    def prepare(self, inputs, folder):
        self.inputs = inputs
        done = self.run(self.fresh(folder))
        if done.returncode:
            sys.exit(f"{' '.join(self.words)}: {done.stderr.decode()}")
        self.new = CLOCK.sub(rb"\1", (folder / self.output).read_bytes())

    def check(self, folder, what, done=None):
        """Whether the folder has the old or the new output and nothing more."""
        before = len(self.faults)
        content = CLOCK.sub(rb"\1", (folder / self.output).read_bytes()) \
            if (folder / self.output).exists() else None
        if content not in (OLD, self.new):
            self.faults.append(f"{what}: the output is {'torn' if content else 'gone'}")
        known = {path.name for path in self.inputs.iterdir()} | {self.output}
        # The lines that a set or a shard has finished are kept to be resumed.
        known.add(self.output + ".partial")
        litter = sorted(path.name for path in folder.iterdir() if path.name not in known)
        if litter:
            self.faults.append(f"{what}: left behind {', '.join(litter)}")
        if done is not None:
            if done.returncode not in EXIT_CODES:
                self.faults.append(f"{what}: exit code {done.returncode}")
            elif done.returncode == 0 and content != self.new:
                self.faults.append(f"{what}: exit code 0 with an old file")
            elif done.returncode and b"error" not in done.stderr and "write" not in what:
                self.faults.append(f"{what}: exit code {done.returncode} without a message")
        return len(self.faults) == before

    def number_of(self, call, folder, count):
        count.unlink(missing_ok=True)
        self.run(self.fresh(folder), f"{call}:0:0", count)
        return int(count.read_text().split()[-1])

    def fail_calls(self, folder, count):
        trials = 0
        for call, code in FAULTS:
            for number in range(1, self.number_of(call, folder, count) + 1):
                done = self.run(self.fresh(folder), f"{call}:{number}:{code}")
                self.check(folder, f"{call} {number} fails with {errno.errorcode[code]}", done)
                trials += 1
        return trials

    def fail_allocations(self, folder, count, trials):
        total = self.number_of("malloc", folder, count)
        numbers = sorted({1 + i * (total - 1) // max(1, trials - 1) for i in range(trials)})
        for number in numbers:
            done = self.run(self.fresh(folder), f"malloc:{number}:{errno.ENOMEM}")
            self.check(folder, f"allocation {number} of {total} fails", done)
        return len(numbers)

    def kill(self, folder, kills, random_stream):
        start = time.monotonic()
        self.run(self.fresh(folder))
        seconds = time.monotonic() - start
        for number in range(kills):
            process = subprocess.Popen([self.program, *self.words_at()], cwd=self.fresh(folder),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(random_stream.uniform(0, seconds))
            process.kill()
            process.wait()
            content = CLOCK.sub(rb"\1", (folder / self.output).read_bytes())
            if content not in (OLD, self.new):
                self.faults.append(f"kill {number}: the output is torn")
            # The next run removes what the killed one has left.
            self.check(folder, f"the run after kill {number}", self.run(folder))
        return kills

    def run_two(self, folder):
        self.fresh(folder)
        both = [subprocess.Popen([self.program, *self.words_at()], cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                for _ in range(2)]
        codes = []
        for process in both:
            process.communicate()
            codes.append(process.returncode)
        if 0 not in codes or not EXIT_CODES.issuperset(codes):
            self.faults.append(f"two at once: exit codes {codes}")
        self.check(folder, "two at once")

    def on_mounted(self, folder, options, what):
        """On a file system that is full or cannot be written."""
        if os.getuid() != 0:
            return
        self.fresh(folder)
        place = folder / "mounted"
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", place], check=True)
        try:
            (place / self.output).write_bytes(OLD)
            if options:
                subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)
            else:
                with open(place / "filler", "wb", buffering=0) as filler:
                    try:
                        while filler.write(b"x" * 4096):
                            pass
                    except OSError:
                        pass
            done = self.run(folder, words=self.words_at("mounted/"))
            if done.returncode != 5 or (place / self.output).read_bytes() != OLD:
                self.faults.append(f"{what}: exit code {done.returncode}")
            litter = {path.name for path in place.iterdir()} - {self.output, "filler"}
            litter.discard(self.output + ".partial")
            if litter:
                self.faults.append(f"{what}: left behind {litter}")
        finally:
            subprocess.run(["umount", place], check=True)


def inputs_of(program, folder):
    lines = RUNS.read_text().splitlines(keepends=True)
    (folder / "runs.csv").write_text("".join(lines[:81]))
    inputs = (line.rsplit(",", 1)[0] + "\n" for line in lines[:81])  # the last column is the time
    (folder / "inputs.csv").write_text("".join(inputs))
    (folder / "space.json").write_text(
        '{"schema": "perfmodel/space", "schema_version": 1, "extrinsic": ["workers"], "columns": ['
        '{"column": "workers", "values": [1, 2, 4]}, {"column": "filters", "values": [4, 8, 16]}]}')
    for words in (FIT + ["-o", "ready.json"],
                  FIT + ["--by", "dataset", "--shard", "1/2", "-o", "half-{shard}.jsonl"],
                  FIT + ["--by", "dataset", "--shard", "2/2", "-o", "half-{shard}.jsonl"]):
        subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--allocations", type=int, default=60, help="that fail, of each command")
    parser.add_argument("--kills", type=int, default=300, help="over all commands")
    parser.add_argument("--only", help="one command")
    options = parser.parse_args()
    program = options.program.resolve()
    faults = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        shim = work / "inject.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", HERE / "inject.c", "-o", shim, "-ldl"],
                       check=True)
        (work / "inputs").mkdir()
        (work / "folder").mkdir()
        inputs = inputs_of(program, work / "inputs")
        for name in [options.only] if options.only else COMMANDS:
            trial = Trial(program, shim, name)
            folder = work / "folder"
            trial.prepare(inputs, folder)
            calls = trial.fail_calls(folder, work / "count")
            allocations = trial.fail_allocations(folder, work / "count", options.allocations)
            kills = trial.kill(folder, -(-options.kills // len(COMMANDS)), random.Random(name))
            trial.run_two(folder)
            trial.on_mounted(folder, "", "a full file system")
            trial.on_mounted(folder, "ro", "a read-only file system")
            print(f"{name}: {calls} calls and {allocations} allocations failed, {kills} kills: "
                  f"{len(trial.faults) or 'no'} findings", flush=True)
            for fault in trial.faults:
                print(f"  {fault}", flush=True)
            faults += len(trial.faults)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
