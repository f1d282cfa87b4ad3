"""Predicts from model.json alone: trend, process and time of each configuration of a CSV file."""
import csv, json, math, sys

def counted(column, x, c):
    for i in c["intrinsic"]:
        if i["column"] == column and "zero" in i:
            unit = i["zero"]["unit"]
            return max(x, unit) if i["zero"]["counts"] == "apart" else 1 + x / unit
    return x

def product_of(term, row, c):
    t = term["a"]
    for k, p in term["p"].items(): t *= counted(k, float(row[k]), c) ** p
    for k, g in term["levels"].items(): t *= g[row[k]]
    for k, q in term["q"].items():
        t *= float(row[k]) ** q * math.log2(max(float(row[k]), 1)) ** term["log2_powers"][k]
    for r, (low, high) in zip(c["regimes"], term["regime_factors"]):
        t *= high if float(row[r["column"]]) > r["above"] else low
    return t

def trend_of(c, row):
    if c["trend"] == "multi":
        return sum(product_of(t, row, c) for t in c["terms"]) + c["C"]
    s = sum(i["a"] * float(row[i["column"]]) ** i["p"] for i in c["intrinsic"])
    s += sum(l["a"] for k in c["categorical"] for l in k["levels"] if l["level"] == row[k["column"]])
    for e in c["extrinsic"]: s *= float(row[e["column"]]) ** e["q"]
    return s + c["C"]

def names(c, column):
    for k in c["categorical"]:
        if k["column"] == column:
            return [l["level"] if isinstance(l, dict) else l for l in k["levels"]]

def solve(rows, right):
    """Gaussian elimination; the matrix is positive definite."""
    n = len(right)
    rows = [row + [b] for row, b in zip(rows, right)]
    for k in range(n):
        for i in range(k + 1, n):
            f = rows[i][k] / rows[k][k]
            rows[i] = rows[i][:k] + [a - f * b for a, b in zip(rows[i][k:], rows[k][k:])]
    out = [0.0] * n
    for k in reversed(range(n)):
        out[k] = (rows[k][n] - sum(a * x for a, x in zip(rows[k][k + 1:n], out[k + 1:]))) / rows[k][k]
    return out

def process_of(c, row):
    p = c["process"]
    n = len(p["runs"])
    def place(k):
        x = min(float(row[k["column"]]), k.get("most", math.inf))
        x = {"log": lambda: math.log(x), "log_one_plus": lambda: math.log1p(x / k["unit"]), "ring": lambda: 1 - 1 / x}[k["form"]]()
        return round((x - k["centre"]) / k["scale"] * 2.0**30) / 2.0**30
    def kernel(k, d):
        a = math.sqrt(5) * d * k["inverse_length"]
        return k["share"] + (1 - k["share"]) * (1 + a + a * a / 3) * math.exp(-a)
    distance = [0.0] * n
    for k in p["numbers"]:
        x = place(k); table = [-math.log(kernel(k, abs(x - v))) for v in k["values"]]
        for i, code in enumerate(k["codes"]): distance[i] += table[code]
    for k in p["levels"]:
        l = names(c, k["column"]).index(row[k["column"]])
        for i, code in enumerate(k["codes"]): distance[i] += 0 if code == l else k["rate"]
    if p["neighbours"] == 0:
        return sum(p["variance"] * math.exp(-d) * w for d, w in zip(distance, p["weights"]))
    near = sorted(range(n), key=lambda i: (distance[i], i))[:p["neighbours"]]
    rows = []
    for i in near:
        rows.append([])
        for k in near:
            r = p["variance"]
            for c in p["numbers"]:
                r *= kernel(c, abs(c["values"][c["codes"][i]] - c["values"][c["codes"][k]]))
            for c in p["levels"]:
                r *= 1 if c["codes"][i] == c["codes"][k] else math.exp(-c["rate"])
            rows[-1].append(r + (p["noise"] / p["runs"][i] if i == k else 0))
    weights = solve(rows, [p["residual"][i] for i in near])
    return sum(p["variance"] * math.exp(-distance[i]) * w for i, w in zip(near, weights))


model = json.load(open(sys.argv[1])); c = model["constants"]
for row in csv.DictReader(open(sys.argv[2])):
    trend = trend_of(c, row); factor = math.exp(process_of(c, row) - c["process"]["centre"])
    print(repr(trend), repr(factor), repr(trend * factor))
