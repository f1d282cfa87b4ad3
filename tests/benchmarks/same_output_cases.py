"""The command lines that same_output.py gives to both programs.

A chain is what runs in one empty folder, one command after the other, so that `predict` finds the
model that `fit` has written. Files of runs lie there under their own names.
"""
import csv
import dataclasses
import json
import pathlib
import shlex

SOURCES = pathlib.Path(__file__).resolve().parents[2]
MOST_ROWS = 2000  # of a file that sees everything; larger ones are fitted and predicted

POLLUX = ("--extrinsic num_nodes,num_gpus,max_gpus_per_node,global_batch "
          "--ignore sweep,aux_layout,aux_sync_s")
ROLES = {
    "pollux_t4": POLLUX,
    "pollux_t4_cifar10": POLLUX,
    "vidur_allreduce": "--extrinsic num_gpus,num_nodes,gpus_per_node --ignore aux_mean_s,aux_std_s",
    "justus_dense_v100": "--extrinsic batch_size --ignore aux_min_s,aux_max_s,aux_std_s",
    "relearn_hpc": "--extrinsic num_procs --ignore repetition",
    "bloom_v100": "--extrinsic num_nodes,num_gpus,dp,tp,pp,micro_batch,global_batch "
                  "--ignore aux_tflops",
    "Apache": "--target PERF --extrinsic none",
    "BDBJ": "--target PERF --extrinsic none",
    "x264": "--target PERF --extrinsic none",
    "Lrzip": "--target '<$performance' --extrinsic none --categorical level,processorCount,maxRam",
}
FORMS = {"generic": "", "two terms": "--expression multi --terms 2"}
AUTO = {"auto": "--expression multi"}

FIT_OPTIONS = [
    "--loss mape", "--loss mse", "--loss rmsle", "--l1 0.001", "--l2 0.001",
    "--l2 0.01 --penalise scaled", "--loss mse --l1 0.01", "--split 60:20:20",
    "--split 80:20 --split-seed 3", "--folds 5", "--coverage 0.9",
    "--split 60:20:20 --coverage 0.8", "--bootstrap 20", "--repeats 3 --seed 5",
    "--bounds p=0:2 --bounds q=-1:1", "--bounds C=0", "--starts 2 --threads 1",
    "--time-unit ms --seed 7 --loss rmsle --split 60:20:20 --fail-if 'mape>0.001'",
]
GENERIC_OPTIONS = [
    "--method paper --search generations=20", "--search strategy=currenttobest1bin",
    "--search strategy=rand1bin,population=6,tolerance=0.01",
    "--search exploration-rows=0", "--bootstrap 20 --coverage 0.8 --loss mape",
]
# Of files that are read in other ways, and of fits that several calls share.
READING_OPTIONS = [
    "--sample-rows 100", "--failed drop", "--separator semicolon",
]
TABLE_FORMATS = ["text", "json", "csv", "markdown", "latex"]
MOST_GROUPS = 4

QUICK_OPTIONS = ["--loss mse", "--l1 0.001", "--split 60:20:20 --coverage 0.8", "--folds 3",
                 "--bootstrap 20", "--repeats 2 --loss rmsle"]

BAD_FLAGS = """
fit {f} --terms 2
fit {f} --terms 0 --expression multi
fit {f} --expression cubic
fit {f} --derive x
fit {f} --derive 'x = 2'
fit {f} --derive 'x = nothing_there * 2'
fit {f} --derive 'x = {n} * ('
fit {f} --derive 'x = {n} ** 2'
fit {f} --derive 'x = foo({n})'
fit {f} --derive 'x = {n} - {n}'
fit {f} --derive 'x = ln({n} - {n})'
fit {f} --derive '{n} = {n} * 2'
fit {f} --group-by {n}
fit {f} --folds 5 --group-by nothing_there
fit {f} --folds 1
fit {f} --folds 100000
fit {f} --bootstrap 1
fit {f} --search popsize=3
fit {f} --coverage 1
fit {f} --coverage 0.99999
fit {f} --method paper --search exploration-rows=5
fit {f} --method paper --expression multi
fit {f} --expression multi --search strategy=rand1bin
fit {f} --expression multi --loss mse --l1 0.1
fit {f} --expression multi --bounds a=0:1
fit {f} --split 1:1:1 --fail-if 'folds.mape>1'
fit {f} --penalise scaled
fit {f} --bounds q.{n}=9:1
fit {f} --bounds p.nothing_there=0:1
fit {f} --intrinsic nothing_there
fit {f} --extrinsic none --intrinsic none
fit {f} --ignore nothing_there
fit {f} --test {f} --split 60:20:20
fit {f} --search population=3,generations=3,strategy=jde --fail-if 'test.mape>3'
sweep {f} --lambdas 1
sweep {f} --penalty l3
sweep {f} --lambdas 1:0.1
compare {f} --extrapolate nothing_there
compare {f} --extrapolate {n}:1e9
compare {f} --extrapolate {n} --split 80:20
compare {f} --fail-if 'forestt.mape>1'
scaling {f} --column nothing_there
scaling {f} --set {n}=2
scaling {f} --least-efficiency 300
plan absent.json -n 3
plan {f} -n 3
plan
suggest {f} {f}
report {f} {f}
ssgd {f} --workers 2
simulate {f} {f}
show {f}
"""


@dataclasses.dataclass
class Chain:
    name: str
    commands: list  # of lists of arguments
    files: dict = dataclasses.field(default_factory=dict)  # name in the folder -> source or bytes
    quick: bool = False


def command(text, **names):
    return shlex.split(text.format(**names))


class Runs:
    """A file of runs: its header, rows and the flags that give its columns their roles."""

    def __init__(self, path):
        self.path, self.name = path, path.name
        with open(path, newline="") as lines:
            rows = list(csv.reader(lines))
        self.header, self.rows = rows[0], rows[1:]
        self.roles = ROLES.get(path.stem, "")

    def values(self, column):
        at = self.header.index(column)
        return sorted({row[at] for row in self.rows})

    def numeric(self):
        """The first column of numbers that are not all the same."""
        def is_number(cell):
            try:
                return float(cell) > 0
            except ValueError:
                return False
        return next((column for column in self.header
                     if all(map(is_number, self.values(column))) and len(self.values(column)) > 1),
                    self.header[0])

    def without_times(self, inputs):
        """A CSV of the inputs alone, of at most 200 rows."""
        at = [self.header.index(column) for column in inputs]
        lines = [inputs] + [[row[i] for i in at] for row in self.rows[:200]]
        return "".join(",".join(line) + "\n" for line in lines).encode()

    def space(self, inputs):
        """At most three values of each column, as plan and suggest take them."""
        columns = []
        for column in inputs:
            try:
                values = sorted({float(cell) for cell in self.values(column)})
            except ValueError:
                values = self.values(column)
            columns.append({"column": column, "values": values[:3]})
        return json.dumps({"schema": "perfmodel/space", "schema_version": 1, "columns": columns,
                           "extrinsic": []}).encode()


def questions(runs, model, inputs, scales):
    """Everything that is asked of one model."""
    row = dict(zip(runs.header, runs.rows[0]))
    settings = [f"{column}={row[column]}" for column in inputs]
    first = inputs[0]
    out = [["predict", model, runs.name], ["predict", model, "--set", *settings],
           ["predict", model, "--json", "--set", *settings],
           ["predict", model, runs.name, "--strict-range", "-o", "predicted.csv"],
           ["predict", model, "--set", *settings[:1]]]
    out += [["evaluate", model, runs.name, *more.split()] for more in (
        "", "--format json --outliers 5", "--format csv --residuals residuals.csv", "--format md",
        "--fail-if mape>0", "--fail-if mape>1e9 --fail-if r2<0.999999", "--strict-range",
        f"--baseline {model} --fail-if mape_drift>2", "--fail-if coverage<0.85")]
    out += [["evaluate", model, runs.name, "--fail-if", "mape>0", "--format", form]
            for form in ("json", "csv", "latex", "junit", "github")]
    out += [["predict", model, "--format", form, "--set", f"{first}={row[first]},{row[first]}"]
            for form in TABLE_FORMATS]
    out += [["predict", model, "--like", f"{runs.name}:3"]]
    out += [["show", model, "--as", language]
            for language in ("text", "latex", "python", "c", "javascript", "spreadsheet")]
    out += [["scaling", model, "--column", (scales or inputs)[0], "--format", form]
            for form in TABLE_FORMATS]
    out += [["scaling", model, "--column", column, *more.split()]
            for column in scales[:3] + inputs[:1]
            for more in ("", "--kind weak --format json --at 1,2,4,8")]
    out += [["report", model, runs.name, "-o", "report.html"],
            ["report", model, runs.name, "--explore", "--title", "a & b", "-o", "panel.html"],
            ["report", model, runs.name, "--no-explore", "--figures", "figures", "-o", "bare.html"],
            ["report", model, runs.name, "--format", "md"],
            ["report", model, model, runs.name, "-o", "two.html"],
            ["report", model, model, runs.name, "--format", "markdown"],
            ["simulate", model, "inputs.csv", "--noise", "5%", "--seed", "7"],
            ["simulate", model, "inputs.csv", "--additive", "0.001", "-o", "simulated.csv"],
            ["simulate", model, runs.name], ["predict", model, "inputs.csv"],
            ["suggest", model, "space.json"], ["suggest", model, "space.json", "--format", "json",
                                               "--by", "cost", "--price", f"{first} * 2"],
            ["suggest", model, "space.json", "--by", "pareto", "--price",
             f"max({first}, 2) ^ 0.5", "--where", f"{first} > 0 && time < 1e9"],
            ["suggest", model, "space.json", "--next", "3", "--format", "csv"],
            ["suggest", model, "space.json", "--next", "3", "--runs", runs.name],
            ["suggest", model, "space.json", "--where", "time > 1e30"],
            ["plan", "space.json", "-n", "8", "--method", "d-optimal", "--model", model]]
    out += [["suggest", model, "space.json", "--by", by, "--price", f"{first} * 2", "--format", form]
            for form in TABLE_FORMATS for by in ("time", "pareto")]
    out += [["suggest", model, "space.json", "--next", "3", "--format", form]
            for form in TABLE_FORMATS]
    out += [["suggest", model, runs.name, "--top", "2"]]
    return out


PLANS = [["plan", "space.json", "-n", "6"], ["plan", "space.json", "-n", "6", "--method", "lhs"],
         ["plan", "space.json", "-n", "8", "--method", "d-optimal", "-o", "plan.csv"],
         ["plan", "space.json", "-n", "10", "--resume", "plan.csv"]]
PLANS += [["plan", "space.json", "-n", "4", "--format", form] for form in TABLE_FORMATS]


def chains_of_runs(runs, inputs, scales, first):
    """`inputs`: the columns that predict asks for; `scales`: those that are extrinsic."""
    files = {runs.name: runs.path, "space.json": runs.space(inputs),
             "inputs.csv": runs.without_times(inputs)}
    fit = command(f"fit {runs.name} {runs.roles}")
    small = len(runs.rows) <= MOST_ROWS
    out = []
    for form, flags in {**FORMS, **(AUTO if small else {})}.items():
        name = f"{runs.name}, {form}"
        asked = [["predict", "model.json", runs.name]]
        if small:
            asked = questions(runs, "model.json", inputs, scales)
            asked += PLANS if form == "generic" else []
        out.append(Chain(name, [fit + flags.split() + ["-o", "model.json"]] + asked, files,
                         form != "auto" and small and (first or form == "generic")))
        if not small or form == "auto":
            continue
        options = FIT_OPTIONS + (GENERIC_OPTIONS if form == "generic" else [])
        options += READING_OPTIONS
        options += [f"--test {runs.name}", f"--derive 'made = sqrt({runs.numeric()}) + 1'"]
        for option in options:
            out.append(Chain(f"{name}, {option}",
                             [fit + flags.split() + shlex.split(option) + ["-o", "model.json"],
                              ["predict", "model.json", runs.name],
                              ["evaluate", "model.json", runs.name],
                              ["show", "model.json", "--as", "python"]], files,
                             first and option in QUICK_OPTIONS))
    if not small:
        return out
    cheap = "--terms 2 --starts 2"
    numeric = runs.numeric()
    for line in (f"compare {{f}} {runs.roles} {cheap}",
                 f"compare {{f}} {runs.roles} {cheap} --format json --split 80:20",
                 f"compare {{f}} {runs.roles} {cheap} --format csv --extrapolate {numeric}",
                 f"compare {{f}} {runs.roles} {cheap} --format md --fail-if 'multi.mape>0'",
                 f"sweep {{f}} {runs.roles} --lambdas 1e-4:1:3",
                 f"sweep {{f}} {runs.roles} --lambdas 1e-4:1:3 --format json --penalty l2",
                 f"sweep {{f}} {runs.roles} --lambdas 1e-2:1:2 --format csv --one-standard-error",
                 f"scaling {{f}} --column {numeric}",
                 f"scaling {{f}} --column {numeric} --kind weak --format json"):
        out.append(Chain(f"{runs.name}, {line}", [command(line, f=runs.name)], files,
                         first and line.startswith("sweep")))
    for form in TABLE_FORMATS:
        for line in (f"compare {{f}} {runs.roles} {cheap} --format {form}",
                     f"sweep {{f}} {runs.roles} --lambdas 1e-2:1:2 --format {form}",
                     f"scaling {{f}} --column {numeric} --format {form}"):
            out.append(Chain(f"{runs.name}, {line}", [command(line, f=runs.name)], files, first))
    out += chains_of_sets(runs, files, fit, first)
    out.append(Chain(f"{runs.name}, wrong flags",
                     [command(line, f=runs.name, n=numeric)
                      for line in BAD_FLAGS.strip().splitlines()], files, first))
    return out


def in_two_parts(argv, merged):
    """One command, the same in two shards, these merged, and a part too few."""
    output = "auto.jsonl"
    return [argv + ["-o", "whole"],
            argv + ["--shard", "1/2", "-o", "one.jsonl"], argv + ["--shard", "2/2", "-o", "two.jsonl"],
            ["merge", "one.jsonl", "two.jsonl", "-o", merged], ["merge", "one.jsonl"],
            ["SLURM_STEP_ID=0", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=3"] + argv +
            ["--shard", "auto", "-o", output],
            ["OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2"] + argv +
            ["--shard", "auto", "-o", output],
            ["PMI_RANK=1", "PMI_SIZE=2"] + argv + ["--shard", "auto", "-o", output],
            argv + ["--shard", "auto", "-o", output], argv + ["--shard", "3/2", "-o", output],
            argv + ["--resume", "-o", "whole"]]


def chains_of_sets(runs, files, fit, quick):
    """Of the files with a column of few texts."""
    key = next((column for column in runs.header if 1 < len(runs.values(column)) <= MOST_GROUPS
                and not runs.values(column)[0].replace(".", "").isdigit()), None)
    if key is None:
        return []
    text = runs.values(key)[0]
    pick = f"{key} == '{text}'"
    out = []
    for form, flags in {"generic": "", "two terms": "--expression multi --terms 2",
                        "auto": "--expression auto"}.items():
        argv = fit + ["--by", key] + shlex.split(flags)
        commands = in_two_parts(argv, "set.jsonl") if form != "auto" else [argv + ["-o", "set.jsonl"]]
        asked = [["show"], ["show", "--pick", pick], ["show", "--pick", pick, "--as", "python"],
                 ["show", "--pick", f"{key} == 'no such'"], ["predict", runs.name],
                 ["predict", "--pick", pick, runs.name], ["evaluate", runs.name],
                 ["evaluate", runs.name, "--fail-if", "any.mape>0.001"],
                 ["report", runs.name, "--pick", pick, "-o", "picked.html"], ["scaling"],
                 ["suggest", "space.json", "--pick", pick]]
        asked += [["evaluate", runs.name, "--format", form]
                  for form in ("json", "csv", "markdown", "latex", "junit", "github")]
        commands += [[words[0], "set.jsonl", *words[1:]] for words in asked]
        out.append(Chain(f"{runs.name}, set, {form}", commands, files, quick))
    return out


def chains_of_layers(paths, latencies):
    out = []
    for path in paths:
        usual = "--workers 4 --forward-share 0.5 "
        lines = [usual + "--alpha-us 5 --bandwidth 1 --allreduce " + name for name in (
            "ring", "recursive-doubling", "halving-doubling", "tree", "double-tree",
            "parameter-server", "hierarchical --workers-per-node 2 --inside-alpha-us 1 "
            "--inside-bandwidth 10")]
        lines += [usual + "--message-start-us 30 --message-per-byte-us 0.001 --merge " + merge
                  for merge in ("none", "single", "threshold:100000", "mgwfbp", "optimal")]
        lines += [usual + "--merge single --timeline --format " + form for form in TABLE_FORMATS]
        lines += [usual + "--merge single", usual + "--no-overlap --timeline",
                  "--workers 2 --forward-share 0.5 --format json --batch 64 --worker-times 1,2",
                  "--workers 3 --forward-share 0.5 --imbalance-factor 0.2 --read-us 1e5 "
                  "--input-pipeline three-stages --copy-us 10", "--workers 0", "--workers 4",
                  "--workers 4 --allreduce star"]
        lines += [usual + f"--merge mgwfbp --fit-allreduce {name.name}"
                  for name in latencies]
        out.append(Chain(f"{path.name}, ssgd",
                         [["ssgd", path.name, *line.split()] for line in lines],
                         {file.name: file for file in [path, *latencies]}, True))
    return out


def malformed_chain():
    folder = SOURCES / "tests/data/malformed"
    lines = (folder / "cases.txt").read_text().splitlines()
    return Chain("malformed files", [shlex.split(line[2:].replace("\\", "\\\\"))
                                     for line in lines if line.startswith("$ ")],
                 {path.name: path for path in folder.iterdir()}, True)


def paper_chain():
    folder = SOURCES / "data/paper"
    models = sorted(path.name for path in folder.glob("table[34]*.json"))
    commands = [["plan", "table2.json", "-n", "40", "-o", "plan.csv"]]
    for model in models:
        commands += [["show", model], ["show", model, "--as", "c"], ["predict", model, "plan.csv"],
                     ["simulate", model, "plan.csv", "--noise", "2%"]]
    return Chain("the paper's models", commands, {p.name: p for p in folder.glob("*.json")}, True)


def help_chain():
    pages = [[name, "--help"] for name in (
        "fit", "predict", "evaluate", "sweep", "compare", "simulate", "scaling", "ssgd", "show",
        "plan", "suggest", "report", "help", "completions", "merge")]
    asked = [["help", page[0]] for page in pages] + [["--version"], ["help", "no-such"]]
    asked += [[page[0], "--help-all"] for page in pages] + [["help", "json", "model"]]
    asked += [["completions", shell] for shell in ("bash", "zsh", "tcsh")]
    return Chain("help", [["--help"], []] + pages + asked, {}, True)
