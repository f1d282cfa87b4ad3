#!/usr/bin/env python3
"""Runs the recipes of examples/ci with the tools that they are for.

    ci_recipes.py PERFMODEL [RECIPE ...]

Without names all of them. Exit code 77 if a tool is not installed. Slurm is used if a controller
answers; otherwise `sbatch` is replaced by a script that runs the tasks of an array one by one.
"""
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / "examples/ci"

# Runs the tasks of an array, then the job that waits for it.
SBATCH = r"""#!/usr/bin/env python3
import os, subprocess, sys
options = dict(word.split("=", 1) for word in sys.argv[1:] if word.startswith("--") and "=" in word)
if "--array" in options:
    words = sys.argv[sys.argv.index("--array=" + options["--array"]) + 1:]
    first, last = map(int, options["--array"].split("-"))
    for number in range(first, last + 1):
        subprocess.run(["bash", *words], env={**os.environ, "SLURM_CPUS_PER_TASK": "1",
                                              "SLURM_ARRAY_TASK_ID": str(number)})
    print("7;cluster")
else:
    assert options["--dependency"] == "afterany:7", options
    with open(options["--output"], "w") as log:
        subprocess.run(sys.argv[sys.argv.index("--wrap") + 1], shell=True, stdout=log, stderr=log)
"""

# The program, whose second shard fails while there is a file `broken`.
PROGRAM = """#!/bin/sh
case "$*" in
*'--shard 2/3'*) [ ! -e '{folder}/broken' ] || exit 1 ;;
esac
exec '{program}' "$@"
"""


class Skipped(Exception):
    pass


def check(holds, what):
    if not holds:
        raise AssertionError(what)


class Folder:
    """A folder with the program on the path, the recipes, and files of runs."""

    def __init__(self, program, path):
        self.path = path
        self.program = program
        (path / "bin").mkdir()
        self.write_program("perfmodel", PROGRAM.format(folder=path, program=program))
        self.environment = {**os.environ, "PATH": f"{path}/bin:{os.environ['PATH']}"}
        for recipe in CI.iterdir():
            shutil.copy(recipe, path)

    def run(self, *command, code=0, **environment):
        """Standard output; complains about another exit code."""
        done = subprocess.run(command, cwd=self.path, env={**self.environment, **environment},
                              capture_output=True, text=True, check=False)
        check(done.returncode == code, f"{' '.join(command)}: exit code {done.returncode}, not {code}\n"
                                       f"{done.stdout}{done.stderr}")
        return done.stdout

    def read(self, name):
        return (self.path / name).read_text()

    def write_program(self, name, text):
        file = self.path / "bin" / name
        file.write_text(text)
        file.chmod(0o755)

    def write_campaign(self, name, seed, factor=1.0, noise=0.05):
        """One campaign of a sum of two costs; `factor` times as slow, with lognormal noise."""
        draw = random.Random(seed)
        lines = ["gpus,batch_size,time_s"]
        for _ in range(150):
            gpus, batch = 2 ** draw.randint(0, 4), 2 ** draw.randint(3, 8)
            seconds = factor * (2e-3 * batch / gpus + 4e-3) * math.exp(draw.gauss(0, noise))
            lines.append(f"{gpus},{batch},{seconds:.6g}")
        (self.path / name).write_text("\n".join(lines) + "\n")

    def write_nets(self, name, seed, factor=1.0, noise=0.05):
        """One run per configuration of three nets, of which one is `factor` times as slow."""
        draw = random.Random(seed)
        lines = ["net,gpus,batch_size,time_s"]
        for net, cost in (("bert", 1.5), ("gpt", 4.0), ("resnet", 0.7)):
            for gpus in (1, 2, 4, 8):
                for batch in (8, 32, 128):
                    seconds = cost * (2e-3 * batch / gpus + 4e-3) * math.exp(draw.gauss(0, noise))
                    seconds *= factor if net == "gpt" else 1
                    lines.append(f"{net},{gpus},{batch},{seconds:.6g}")
        (self.path / name).write_text("\n".join(lines) + "\n")

    def parts(self):
        return sorted(self.path.glob("part-*.jsonl*"))

    def one_call(self, *options):
        """The bytes that a call without shards writes."""
        self.run("perfmodel", "fit", "runs.csv", *options, "--quiet", "-o", "expected")
        return self.read("expected")


def needed(*command):
    """Skips the recipe if a tool is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        raise Skipped(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        raise Skipped(f"{' '.join(command)} fails")
    return done.stdout


def committed_model(folder):
    folder.write_campaign("released.csv", 1)
    folder.run("perfmodel", "fit", "released.csv", "--expression", "auto", "--quiet", "-o",
               "model.json")


def nightly(folder):
    committed_model(folder)
    call = ["bash", "nightly.sh", "model.json", "new.csv", "out"]

    folder.write_campaign("new.csv", 2)
    folder.run(*call)
    check("<html" in folder.read("out/report.html"), "there is no page")
    check("|" in folder.read("out/report.md"), "report.md has no tables")
    check('"perfmodel/model"' in folder.read("out/model.json"), "there is no model")

    # All runs are slower, but the error is below its limit.
    folder.write_campaign("new.csv", 2, factor=1.1)
    tests = folder.run(*call, code=4, FORMAT="junit")
    check(tests.count("<failure") == 1 and 'message="bias&gt;5' in tests, tests)

    # The error rises without a slowdown; the new model cannot be better than the noise either.
    folder.write_campaign("new.csv", 2, noise=0.4)
    shutil.rmtree(folder.path / "out")
    tests = folder.run(*call, code=4, FORMAT="junit")
    check(tests.count("<failure") == 1 and 'message="mape&gt;15' in tests, tests)
    check("<html" in folder.read("out/report.html"), "a gate has kept the page from being written")
    folder.run(*call, LARGEST_ERROR="200")

    # One of three nets slows, which the median of all runs hides.
    folder.write_nets("released.csv", 1)
    folder.run("perfmodel", "fit", "released.csv", "--expression", "auto", "--quiet", "-o",
               "model.json")
    shutil.rmtree(folder.path / "out")
    folder.write_nets("new.csv", 2, factor=1.25)
    tests = folder.run(*call, code=4, FORMAT="junit", LARGEST_ERROR="50")
    check(tests.count("<failure") == 1 and 'message="any.bias&gt;10' in tests, tests)
    page = folder.read("out/report.md")
    check(page.index("Do the runs take as long as before?") < page.index("Is it better"), page)
    check("net = gpt: 2" in page and "drift, or another machine" in page, page)
    for night in range(3, 13):
        folder.write_nets("new.csv", night)
        folder.run(*call)

    # What is not a condition is passed on.
    folder.run("bash", "nightly.sh", "absent.json", "new.csv", "out", code=3)


def github(folder):
    """Runs the steps of the workflow as GitHub does."""
    try:
        import yaml
    except ImportError:
        raise Skipped("the Python package yaml is not installed") from None
    needed("curl", "--version")
    workflow = yaml.safe_load(folder.read("github.yml"))
    triggers = workflow[True]  # YAML 1.1 reads `on` as a truth value
    check(re.fullmatch(r"(\S+ ){4}\S+", triggers["schedule"][0]["cron"]), "no time of a cron job")
    (job,) = workflow["jobs"].values()
    steps = job["steps"]
    for step in steps:
        check(("run" in step) != ("uses" in step), f"neither a command nor an action: {step}")
        check("uses" not in step or re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]), step)
    check(steps[0]["uses"].startswith("actions/checkout@"), "the repository is not there")

    committed_model(folder)
    (folder.path / "measure.sh").write_text('cp measured.csv "$1"\n')
    archive = folder.path / "perfmodel.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(folder.program, "perfmodel-1.2.3-linux-x86_64/bin/perfmodel")
    (folder.path / "bin/perfmodel").unlink()
    github_files = {name: str(folder.path / name)
                    for name in ("RUNNER_TEMP", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}

    def run_job():
        """Standard output and whether the job has succeeded."""
        shutil.rmtree(folder.path / "nightly", ignore_errors=True)
        shutil.rmtree(folder.path / "RUNNER_TEMP", ignore_errors=True)
        (folder.path / "RUNNER_TEMP").mkdir()
        for name in ("GITHUB_PATH", "GITHUB_STEP_SUMMARY"):
            (folder.path / name).write_text("")
        output, succeeded = "", True
        for step in steps:
            if not succeeded and step.get("if") != "${{ !cancelled() }}":
                continue
            if "run" not in step:
                for path in step.get("with", {}).get("path", "").split():
                    check((folder.path / path).exists(), f"there is no artefact {path}")
                continue
            added = ":".join(folder.read("GITHUB_PATH").split())
            environment = {name: text.replace("${{ vars.PERFMODEL_ARCHIVE }}", archive.as_uri())
                           for name, text in step.get("env", {}).items()}
            done = subprocess.run(
                ["bash", "-e", "-c", step["run"]], cwd=folder.path, capture_output=True, text=True,
                env={**folder.environment, **github_files, **environment,
                     "PATH": f"{added}:{folder.environment['PATH']}"}, check=False)
            output += done.stdout + done.stderr
            succeeded = succeeded and done.returncode == 0
        return output, succeeded

    folder.write_campaign("measured.csv", 2)
    output, succeeded = run_job()
    check(succeeded, output)
    check(output.count("::notice") == 4, output)  # the errors and a line per gate
    check("|" in folder.read("GITHUB_STEP_SUMMARY"), "the summary has no table")

    folder.write_campaign("measured.csv", 2, factor=1.3)
    output, succeeded = run_job()
    check(not succeeded, "the job has not failed")
    check(output.count("::error") == 3, output)
    # It fails for one reason: the new model is not judged, too.
    check(output.count("perfmodel: error") == 1, output)
    check("nightly.sh: the new runs contradict model.json: nightly/report.html\n" in output, output)
    check("|" in folder.read("GITHUB_STEP_SUMMARY"), "the summary of a failed job is empty")


def check_shards(folder, shards_of_kernels):
    """The models of ten kernels in three shards, of which the second fails first."""
    many_groups = ROOT / "tests/benchmarks/many_groups.py"
    (folder.path / "runs.csv").write_text(folder.run(sys.executable, str(many_groups), "10", "20"))
    expected = folder.one_call("--by", "kernel")
    (folder.path / "broken").write_text("")
    shards_of_kernels(fails=True)
    check(not (folder.path / "all.jsonl").exists(), "merged in spite of a failure")
    (folder.path / "broken").unlink()
    shards_of_kernels(fails=False)
    check(folder.read("all.jsonl") == expected, "other bytes than of one call")
    check(not folder.parts(), f"{folder.parts()} are left behind")


def parallel(folder):
    if not needed("parallel", "--version").startswith("GNU parallel"):
        raise Skipped("this parallel is another program")
    check_shards(folder, lambda fails: folder.run(
        "bash", "parallel.sh", "all.jsonl", "runs.csv", "--by", "kernel", code=1 if fails else 0,
        SHARDS="3"))


def slurm(folder):
    is_real = shutil.which("sinfo") and subprocess.run(
        ["sinfo"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    if is_real:
        print("slurm: with", needed("sbatch", "--version").strip())
    else:
        print("slurm: no controller answers, with a mock of sbatch")
        folder.write_program("sbatch", SBATCH)

    def submit(fails):
        log = folder.path / "merge.log"
        log.unlink(missing_ok=True)
        folder.run("bash", "slurm.sh", "all.jsonl", "runs.csv", "--by", "kernel", SHARDS="3")
        for _ in range(600):
            if log.exists() and (log.read_text() if fails else not folder.parts()):
                break
            time.sleep(0.1)
        check(not fails or "run again: 2/3" in log.read_text(), log.read_text())

    check_shards(folder, submit)


def snakemake(folder):
    needed("snakemake", "--version")
    check_shards(folder, lambda fails: folder.run(
        "snakemake", "--cores", "2", "--config", "fit=--by kernel", "shards=3", code=1 if fails else 0,
        XDG_CACHE_HOME=str(folder.path / "cache")))


RECIPES = {recipe.__name__: recipe for recipe in (nightly, github, parallel, slurm, snakemake)}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    skipped = False
    for name in sys.argv[2:] or RECIPES:
        with tempfile.TemporaryDirectory() as path:
            try:
                RECIPES[name](Folder(program, pathlib.Path(path)))
                print(f"{name}: passed")
            except Skipped as reason:
                print(f"{name}: skipped: {reason}")
                skipped = True
    return 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
