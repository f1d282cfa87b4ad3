#!/usr/bin/python3
"""Learns what the columns of a table are from labelled tables, and says how well that goes.

The tool computes the evidence, so that only one program reads tables. Five folds over the sources
of the tables: what is learnt comes from the other four, by inner folds, and the figures from the
tables of the fold. `--write` fits all tables."""
import argparse
import collections
import itertools
import math

import numpy as np
from scipy.optimize import minimize

from labelled import ROLES, evidence, folds, load, without

RIDGES = (1.0, 3.0)
TEMPERATURES = (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2)
FOLLOWS = 0.2        # the weight of an input that follows from others
BINS = (0, 0.1, 0.3, 0.7, 0.9, 1.01)
LEFT_OUT = 0.05      # at most this share of the inputs is left out, in the inner folds
RATHER_NONE = 0.7    # there is no input if even the least doubtful column is more doubtful
TARGET_THRESHOLD = 0.5  # the likeliest column is the target from these odds on,
TARGET_MARGIN = 2    # and if it is so much likelier than the next

# Log odds of result and label against input before any table was seen; rare kinds keep them.
PRIOR = """
n head:time 1 0; n head:rate 1 0; n head:memory .5 0; n head:counter .7 0; n head:util 1 0;
n head:cost 1 0; n head:energy .7 0; n head:score 1 0; n head:id -.5 2; n head:repeat 0 1;
n head:date 0 1; n head:place 0 1; n head:note 0 2; n head:name 0 .3; n head:entity -.5 -.3;
n head:size -.4 -.3; n any:outcome .7 0; n any:stat .5 0; n any:price -1.5 0; n any:status 1 0;
n statistic alone .5 0;
n any:scale -.7 -.3; n any:config -1 -.5; n any:limit -1 -.3; n any:setting -1.5 -.5;
n any:given -1 -.5; n any:output .5 0; n any:predicted 1 0; n any:relative .7 0;
n any:used .4 0; n any:note 0 1; n any:repeat 0 .7; n first:metric .5 0; n first:config -2 -1;
n unit:timeunit .7 0; n per time 1 0; n measured, not asked .5 0; n number at the end 0 2.5;
n empty name 0 .7; c status words 1.5 0; c mark 0 4; c path 0 2; c made of others 0 2; c once x bits 1.5 0;
x status word 1 0; x repeat, counts up 0 3; x entity, text -.5 -.5; x id, repeated -.5 -1.5;
s prefix measured 1.5 .5; s siblings measured 1 0"""
PRIOR = {name: (float(result), float(label)) for name, result, label in
         (entry.strip().rsplit(" ", 2) for entry in PRIOR.split(";"))}

# The other kinds of words, and this evidence, are for the target.
ANYWHERE = ("config setting limit given price scale size stat centre max min used output metric "
            "status outcome repeat id note energy memory part predicted relative num thing entity")
HEADS = ("time rate memory counter util cost energy score id repeat date place note name size "
         "scale entity")
KINDS = ({"n any:" + kind for kind in ANYWHERE.split()} | {"n unit:timeunit", "n unit:byteunit"} |
         {"n head:" + kind for kind in HEADS.split()})

# Evidence per column of a table whose target is told, or is not.
Case = collections.namedtuple("Case", "evidence target weight")
Fitted = collections.namedtuple("Fitted", "first second target threshold")


def softmax(sums):
    odds = np.exp(sums - sums.max(-1, keepdims=True))
    return odds / odds.sum(-1, keepdims=True)


def tempered(odds, temperature):
    return softmax(np.log(np.maximum(odds, 1e-9)) / temperature)


def matrix(rows, features):
    return np.array([[row.get(name, 0.0) for name in features] for row in rows])


def is_feature(name):
    is_kind = name.startswith(("n any:", "n head:", "n unit:"))
    return not is_kind or name in KINDS


class Roles:
    """Softmax over input, result and label, with a ridge around the prior."""

    def __init__(self, ridge, rows, roles, weights):
        self.temperature = 1.0
        self.features = sorted({name for row in rows for name in row if is_feature(name)})
        x = np.column_stack([np.ones(len(rows)), matrix(rows, self.features)])
        wanted = np.eye(3)[roles]
        weights = weights / weights.sum() * len(rows)
        ridge = np.array([1e-3] + [ridge] * len(self.features))
        prior = np.array([(0, 0)] + [PRIOR.get(name, (0, 0)) for name in self.features]).T

        def loss(flat):
            away = flat.reshape(2, -1) - prior
            odds = softmax(np.column_stack([np.zeros(len(x)), x @ (away + prior).T]))
            score = -weights @ np.log(np.maximum((odds * wanted).sum(1), 1e-300))
            slope = ((odds - wanted)[:, 1:] * weights[:, None]).T @ x + ridge * away
            return score + 0.5 * (ridge * away ** 2).sum(), slope.ravel()

        self.weights = minimize(loss, prior.ravel(), jac=True, method="L-BFGS-B",
                                options={"maxiter": 150, "ftol": 1e-7}).x.reshape(2, -1)

    def odds(self, columns):
        """Column -> probabilities of input, result and label."""
        sums = self.weights[:, 0] + matrix(columns.values(), self.features) @ self.weights[:, 1:].T
        odds = softmax(np.column_stack([np.zeros(len(sums)), sums]) / self.temperature)
        return dict(zip(columns, odds))


def samples(tables, values_of):
    """Values, roles and weights of the labelled columns of all cases; many columns weigh less."""
    out = [(values[column], ROLES[table.roles[column]],
            table.weight * case.weight / math.sqrt(len(table.labelled())),
            FOLLOWS if table.roles[column] == "follows" else 1)
           for table in tables for case, values in values_of(table)
           for column in table.labelled() if column != case.target]
    values, roles, weights, follows = zip(*out)
    return list(values), np.array(roles), np.array(weights), np.array(follows)


def cross_fit(parts, cases_of):
    """The best ridge and temperature, fitted, and the odds of cases without their part."""
    def fitted(ridge, tables):
        rows, roles, weights, follows = samples(
            tables, lambda t: [(case, case.evidence) for case in cases_of(t)])
        return Roles(ridge, rows, roles, weights * follows)

    def score(odds, temperature=1.0):
        values, roles, weights, _ = samples(without(parts, None),
                                            lambda t: zip(cases_of(t), odds[t.name]))
        right = tempered(np.array(values), temperature)[np.arange(len(roles)), roles]
        return -weights @ np.log(np.maximum(right, 0.01)) / weights.sum()

    def odds_outside(ridge):
        models = [(fitted(ridge, without(parts, part)), part) for part in parts]
        return {t.name: [model.odds(case.evidence) for case in cases_of(t)]
                for model, part in models for t in part}

    odds_of = {ridge: odds_outside(ridge) for ridge in RIDGES}
    ridge = min(RIDGES, key=lambda r: score(odds_of[r]))
    temperature = min(TEMPERATURES, key=lambda t: score(odds_of[ridge], t))
    model = fitted(ridge, without(parts, None))
    model.temperature = temperature
    return model, {name: [{c: tempered(p, temperature) for c, p in odds.items()} for odds in cases]
                   for name, cases in odds_of[ridge].items()}


def second_cases(tool, tables, first_odds):
    """Table -> its cases of the second pass: without a target, and with the labelled one."""
    told = [[{}] + [{t.target: "target"}] * (t.target is not None) for t in tables]
    lines = evidence(tool, tables, [[{"told": flags, "odds": first_odds[t.name]} for flags in of]
                                    for t, of in zip(tables, told)])
    return {t.name: [Case({c: f | t.first[c] for c, f in next(lines)["columns"].items()},
                          next(iter(flags), None), 1 / len(of)) for flags in of]
            for t, of in zip(tables, told)}


def is_determined(table, column, taken):
    """Whether an input with repeated values says what stands in the column."""
    own = table.codes[column]
    def determines(codes):
        values = codes.max() + 1
        return 1 < values <= len(codes) / 2 and \
            len(np.unique(codes * (own.max() + 1) + own)) == values
    return any(determines(table.codes[other]) for other in taken if other != column)


def taken_inputs(table, odds, threshold):
    """The inputs, and whether the table is refused as one without any; the target is told."""
    doubt = {c: 1 - p[0] for c, p in odds.items() if c != table.target}
    taken = [c for c in doubt if doubt[c] < threshold]
    if not taken:
        best = min(doubt, key=doubt.get, default=None)
        return [best], not doubt or doubt[best] > RATHER_NONE or odds[best][2] > odds[best][1]
    return taken, False


def missing_inputs(table, taken):
    return [c for c in table.first if table.roles[c] == "input" and c not in taken and
            c != table.target and not is_determined(table, c, taken)]


def chosen_threshold(tables, odds):
    """The least doubt of a column that is no input; few inputs of measurements are left out."""
    tables = [t for t in tables if not t.is_design()]

    def leaves_out_few(threshold):
        missing = sum(len(missing_inputs(t, taken_inputs(t, odds[t.name][1], threshold)[0]))
                      for t in tables)
        return missing <= LEFT_OUT * sum(t.inputs() for t in tables)
    return min(itertools.takewhile(leaves_out_few, np.arange(0.5, 0.04, -0.01)), default=0.5)


class Target:
    """A conditional logit with a ridge of 1: one of the candidates of a table is the target."""

    def __init__(self, tables, candidates):
        tables = [t for t in tables if set(t.right_targets()) & set(candidates[t.name])]
        self.features = sorted({name for t in tables for row in candidates[t.name].values()
                                for name in row})
        data = [(matrix(candidates[t.name].values(), self.features),
                 np.array([c in t.right_targets() for c in candidates[t.name]])) for t in tables]

        def loss(weights):
            score, slope = 0.5 * weights @ weights, weights
            for x, right in data:
                odds = softmax(x @ weights)
                of_right = max(odds[right].sum(), 1e-12)
                score -= math.log(of_right)
                slope = slope + x.T @ (odds - right * odds / of_right)
            return score, slope

        self.weights = minimize(loss, np.zeros(len(self.features)), jac=True, method="L-BFGS-B",
                                options={"maxiter": 300}).x

    def odds(self, candidates):
        x = matrix(candidates.values(), self.features).reshape(-1, len(self.features))
        return dict(zip(candidates, softmax(x @ self.weights))) if candidates else {}


def target_candidates(tool, tables, odds):
    """Table -> candidate -> evidence, by the odds of the second pass without a target."""
    lines = evidence(tool, tables, [{"told": {}, "odds": odds[t.name][0]} for t in tables], True)
    return {t.name: {c: f for c, f in line["columns"].items() if f}
            for t, line in zip(tables, lines)}


def verdict(table, odds):
    best = sorted(odds, key=lambda c: -odds[c])[:3]
    first, second, *_ = [odds[c] for c in best] + [0, 0]
    if first < TARGET_THRESHOLD or first < TARGET_MARGIN * second:
        return "asked" if table.target in best else "refused"
    if best[0] == table.target:
        return "right"
    return "other" if best[0] in table.other_targets else "wrong"


def fit(tool, tables, seed):
    parts = folds(tables, seed)
    first, odds = cross_fit(parts, lambda t: [Case(t.first, None, 1)])
    cases = second_cases(tool, tables, {name: of[0] for name, of in odds.items()})
    second, odds = cross_fit(parts, lambda t: cases[t.name])
    candidates = target_candidates(tool, tables, odds)
    target = Target([t for t in tables if not t.is_design()], candidates)
    told = [t for t in tables if t.target is not None]
    return Fitted(first, second, target, chosen_threshold(told, odds))


def apply(tool, tables, fitted):
    """Table -> odds per case; table -> odds as the target."""
    cases = second_cases(tool, tables, {t.name: fitted.first.odds(t.first) for t in tables})
    odds = {t.name: [fitted.second.odds(c.evidence) for c in cases[t.name]] for t in tables}
    candidates = target_candidates(tool, tables, odds)
    return odds, {name: fitted.target.odds(of) for name, of in candidates.items()}


def judged(table, odds, target_odds, fitted):
    """What went wrong in a table, and (doubt, whether it is no input, weight) of its columns."""
    taken, refused = taken_inputs(table, odds[1], fitted.threshold)
    columns = [c for c in table.labelled() if c != table.target]
    wrong = {role: [c for c in taken if not refused and table.roles[c] == role]
             for role in ("result", "label")}
    return {"table": table.name, "refused": refused, "missing": missing_inputs(table, taken),
            "target": verdict(table, target_odds), **wrong}, \
        [(min(0.97, max(0.03, 1 - odds[1][c][0])), ROLES[table.roles[c]] > 0, 1 / len(columns))
         for c in columns if not refused]


def print_figures(tables, judgements, columns):
    def share(what, count, of=len(tables)):
        print(f"{what}: {count} of {of} ({100 * count / of:.1f} %)")
    share("a result among the inputs", sum(bool(j["result"]) for j in judgements))
    share("a label among the inputs", sum(bool(j["label"]) for j in judgements))
    share("no input", sum(j["refused"] for j in judgements))
    share("inputs left out", sum(len(j["missing"]) for j in judgements),
          sum(t.inputs() for t in tables))
    print("target:", dict(collections.Counter(j["target"] for j in judgements)))
    said, was, weights = np.array(sum(columns, []), float).T
    score = -weights @ np.log(np.where(was > 0, said, 1 - said)) / weights.sum()
    brier = weights @ (said - was) ** 2 / weights.sum()
    print(f"Brier score {brier:.4f}, log score {score:.4f}; columns said to be no input, and were:")
    for low, high in zip(BINS, BINS[1:]):
        if (inside := (said >= low) & (said < high)).any():
            print(f"  {inside.sum()}: {said[inside].mean():.2f}, {was[inside].mean():.2f}")


def write_weights(fitted, path):
    lines = ["# Learnt by fit.py: log odds of result and label against input; of the target."]
    lines += [f"constant\t{name}\t{value:.4g}" for name, value in (
        ("first temperature", fitted.first.temperature),
        ("second temperature", fitted.second.temperature), ("threshold", fitted.threshold),
        ("target threshold", TARGET_THRESHOLD))]
    for table, model in (("first", fitted.first), ("second", fitted.second)):
        lines += [f"{table}\t{name}\t{result:.3f}\t{label:.3f}" for name, (result, label) in
                  zip(["intercept", *model.features], model.weights.T)]
    lines += [f"target\t{name}\t{weight:.3f}"
              for name, weight in zip(fitted.target.features, fitted.target.weights)]
    with open(path, "w", encoding="utf8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="program that computes the evidence")
    parser.add_argument("--folder", required=True, help="labelled tables")
    parser.add_argument("--seed", type=int, default=0, help="of the folds")
    parser.add_argument("--failures", action="store_true", help="name what went wrong")
    parser.add_argument("--write", metavar="FILE", help="fit all tables and write the weights")
    options = parser.parse_args()
    tables = load(options.tool, options.folder)
    parts = folds(tables, options.seed)
    tested, judgements, columns = [], [], []
    for part in parts:
        fitted = fit(options.tool, without(parts, part), options.seed + 1)
        odds, target_odds = apply(options.tool, part, fitted)
        for table in (t for t in part if t.target is not None):
            tested.append(table)
            judgement, said = judged(table, odds[table.name], target_odds[table.name], fitted)
            judgements.append(judgement)
            columns.append(said)
    for what, design in (("measurements", False), ("designs", True)):
        of = [i for i, table in enumerate(tested) if table.is_design() == design]
        if of:
            print(what)
            print_figures(*([values[i] for i in of] for values in (tested, judgements, columns)))
    if options.failures:
        print(*({k: v for k, v in j.items() if v and v != "right"} for j in judgements), sep="\n")
    if options.write:
        write_weights(fit(options.tool, tables, options.seed), options.write)


if __name__ == "__main__":
    main()
