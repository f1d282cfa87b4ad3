#include "page/page.hpp"

#include "forms/form.hpp"
#include "page/figures.hpp"
#include "perfmodel/export.hpp"

namespace perfmodel::page {

/// Builds the panel that predicts the time of any configuration, using the `model` defined by the
/// preceding script. The URL can set columns: page.html#gpus=8&batch=64.
constexpr std::string_view kExploreScript = R"js(
const made = (name, attributes, ...children) => {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  out.append(...children);
  return out;
};
const drawn = (name, attributes, text) => {
  const out = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  if (text !== undefined) out.textContent = text;
  return out;
};
const short = (x) => String(Number(x.toPrecision(4)));
const unitOf = (time) => {
  const known = [["s", 1], ["ms", 1e3], ["us", 1e6], ["ns", 1e9]];
  const own = known.findIndex(([name]) => name === model.unit);
  if (own < 0) return model.shown;
  if (time / known[own][1] >= 9999.5) return {name: "h", factor: 1 / (3600 * known[own][1])};
  for (const [name, factor] of known.slice(own))
    if (time * factor / known[own][1] >= 1) return {name, factor: factor / known[own][1]};
  return {name: "ns", factor: 1e9 / known[own][1]};
};
const timeText = (time, unit = unitOf(time)) =>
  short(time * unit.factor) + (unit.name ? " " + unit.name : "");
const isTime = (x) => x > 0 && Number.isFinite(x);

// Configurations: a Map from columns to values.
const start = new Map(model.columns.map((column) => [column.name, column.start]));
const columnOf = new Map(model.columns.map((column) => [column.name, column]));
const stepOf = (values, factors, divisor) => Math.ceil((1 - 1e-9) / divisor * factors.reduce(
  (product, [factor, power]) => product * Math.pow(values.get(factor), power), 1));
const withValue = (values, name, value) => {
  const out = new Map(values);
  for (const [scale, column, power, factors] of model.ties)
    if (scale === name && out.has(column) && !factors.length)
      out.set(column, out.get(column) * Math.pow(value / values.get(name), power));
  out.set(name, value);
  for (const [scale, column, , factors, divisor] of model.ties)
    if (scale === name && factors.length) out.set(column, stepOf(out, factors, divisor));
  return out;
};
const allows = (column, value) => column.levels ? column.levels.includes(value)
  : Number.isFinite(value) && (column.low === undefined || value > 0 ||
                               (column.zero !== undefined && value === 0));

// The Cholesky factor of a matrix, of which the lower half is given by rows.
const decomposed = (rows) => {
  for (let i = 0; i < rows.length; ++i) {
    for (let j = 0; j <= i; ++j) {
      let sum = rows[i][j];
      for (let k = 0; k < j; ++k) sum -= rows[i][k] * rows[j][k];
      rows[i][j] = i === j ? Math.sqrt(sum) : sum / rows[j][j];
    }
  }
  return rows;
};

// The variance of ln t without noise, as the process knows it: from the Cholesky factor of the
// covariance of the known configurations.
let factor = null;
const factorised = ({variance, noise, runs, known, between}) => {
  const rows = known.map((other, i) => {
    const row = new Float64Array(i + 1);
    for (let j = 0; j <= i; ++j) row[j] = variance * between(other, known[j]);
    row[i] += noise / runs[i];
    return row;
  });
  return decomposed(rows);
};
const varianceOf = (correlations) => {
  const {variance} = model.process;
  factor = factor ?? factorised(model.process);
  const solved = new Float64Array(factor.length);
  let rest = variance;
  factor.forEach((row, i) => {
    let sum = variance * correlations[i];
    for (let k = 0; k < i; ++k) sum -= row[k] * solved[k];
    solved[i] = sum / row[i];
    rest -= solved[i] * solved[i];
  });
  return Math.max(0, rest);
};
const inputsOf = (values) => model.inputs(...model.columns.map(({name}) => values.get(name)));
const numbersOf = (values) => inputsOf(values)[0];
const placeOf = new Map(model.numbers.map(({name}, n) => [name, n]));
// A function of the inputs, with these numbers.
const evaluated = (formula, values, numbers) => formula(...model.inputColumns.map(
  (name) => placeOf.has(name) ? numbers[placeOf.get(name)] : values.get(name)));
const withinRanges = (numbers) =>
  model.numbers.map(({low, high}, n) => Math.min(Math.max(numbers[n], low), high));
// depends_beyond(): whether the trend depends on numbers that are outside of their measured ranges.
const dependsBeyond = (values) => {
  const numbers = numbersOf(values), edge = withinRanges(numbers);
  const opposite = model.numbers.map(({low, high}, n) =>
    numbers[n] > high ? low : numbers[n] < low ? high : numbers[n]);
  const trend = (at) => Math.log(evaluated(model.trend, values, at));
  const atEdge = trend(edge);
  return Math.max(Math.abs(trend(numbers) - atEdge), Math.abs(trend(opposite) - atEdge)) >= 1e-9;
};

// ScalingProcess: ln t by the runs without the formula. The parts of a covariance are the level,
// slopes, their drift, texts, all inputs together, and slopes that differ.
const partsOf = ([x, a], [y, b]) => {
  let slopes = 0, squares = 0, drift = 0, distance = 0, together = 1, same = 0;
  x.forEach((u, j) => {
    const v = y[j], less = Math.min(Math.abs(u), Math.abs(v)), more = Math.max(Math.abs(u), Math.abs(v));
    slopes += u * v;
    squares += u * v * u * v;
    drift += u < 0 === v < 0 ? less * less * (3 * more - less) / 6 : 0;
    distance += Math.abs(u - v);
  });
  a.forEach((level, c) => {
    same += level === b[c] ? 1 : 0;
    together *= level === b[c] ? 1 : 0.5;
  });
  return [1, slopes, drift, same, together * Math.exp(-distance / 2),
    (slopes * slopes - squares) / 4 + slopes * same];
};
const summed = (parts, [, ...variances]) =>
  parts.reduce((sum, part, k) => sum + part * variances[k], 0);
const forward = (rows, sides) => {
  const out = new Float64Array(rows.length);
  rows.forEach((row, i) => {
    let sum = sides[i];
    for (let k = 0; k < i; ++k) sum -= row[k] * out[k];
    out[i] = sum / row[i];
  });
  return out;
};
let conditioned = null;
const conditionedRuns = () => {
  const {runs, settings} = model.belief;
  const parts = runs.map((a) => runs.map((b) => partsOf(a, b)));
  return settings.map((setting) => {
    const rows = decomposed(runs.map((_, i) => Float64Array.from({length: i + 1}, (_, j) =>
      summed(parts[i][j], setting) + (i === j ? setting[7] / runs[i][3] : 0))));
    return [rows, forward(rows, runs.map(([, , left]) => left))];
  });
};
const ofProcess = (numbers, levels) => {
  const {runs, settings, level, centre} = model.belief;
  conditioned = conditioned ?? conditionedRuns();
  const logs = model.numbers.map(({least}, n) =>
    Math.log(Math.max(numbers[n], least)) - centre[n]);
  const row = [logs, levels];
  const parts = runs.map((run) => partsOf(run, row)), own = partsOf(row, row);
  let mean = 0, square = 0;
  settings.forEach((setting, s) => {
    const [rows, left] = conditioned[s];
    const solved = forward(rows, parts.map((each) => summed(each, setting)));
    let expected = 0, known = 0;
    solved.forEach((x, i) => {
      expected += x * left[i];
      known += x * x;
    });
    const variance = Math.max(0, summed(own, setting) - known) + setting[7];
    mean += setting[0] * expected;
    square += setting[0] * (variance + expected * expected);
  });
  return {mean: level + mean, variance: square - mean * mean};
};
// What process and formula say together: mean and variance of ln t.
const together = (values, numbers, levels) => {
  const {share, mostDeviations, mostMore} = model.belief;
  const {mean, variance} = ofProcess(numbers, levels);
  const most = mostDeviations * Math.sqrt(variance) + mostMore;
  const off = Math.log(evaluated(model.predict, values, numbers)) - mean;
  const difference = Number.isNaN(off) ? 0 : Math.min(Math.max(off, -most), most);
  return {mean: mean + share * difference, variance: variance + difference * difference / 4};
};
// With texts whose pair was not measured moved to one that was.
const withinPairs = (values) => {
  const out = new Map(values);
  for (const [first, level, second, other, measured] of model.belief.pairs)
    if (out.get(first) === level && out.get(second) === other) out.set(second, measured);
  return out;
};
const believed = (values) => {
  const [numbers, levels] = inputsOf(values), within = withinRanges(numbers);
  const near = withinPairs(values);
  const isWithin = within.every((x, n) => x === numbers[n]) &&
    [...near].every(([name, value]) => values.get(name) === value);
  const {correlations} = model;
  const here = together(values, numbers, levels);
  const known = isWithin ? here : together(near, within, inputsOf(near)[1]);
  model.correlations = correlations;  // of the prediction, not of the nearest measured value
  const {spread, widening} = model.belief;
  return {mean: here.mean, deviation: spread * Math.sqrt(known.variance),
    beyond: widening * Math.sqrt(Math.max(0, here.variance - known.variance))};
};
const predicted = (values) => {
  const time = evaluated(model.predict, values, numbersOf(values));
  if (!model.belief || !isTime(time)) return time;
  const {share, ofBound} = model.belief;
  return ofBound ? time * Math.exp(ofBound * believed(values).beyond)
    : share < 1 ? Math.exp(believed(values).mean) : time;
};
const deviation = () => {
  if (!model.interval.byDeviation) return 1;
  const {added, typical} = model.interval;
  const own = Math.sqrt(model.process.noise + varianceOf(model.correlations));
  return Math.hypot(own, own < typical ? added * own / typical : added);
};
// Of the configuration that was predicted last.
const intervalOf = (time, values) => {
  if (!model.interval || !isTime(time)) return null;
  const size = deviation();
  let low = size * model.interval.low, high = size * model.interval.high;
  if (model.belief) {
    const {z, ofFolds, ofBound} = model.belief;
    const {mean, deviation: within, beyond} = believed(values);
    const shift = mean - Math.log(time), width = z * Math.hypot(within, beyond);
    low = ofFolds * -Math.hypot(low, z * beyond) + (1 - ofFolds) * (shift - width) - ofBound * beyond;
    high = ofFolds * Math.hypot(high, z * beyond) + (1 - ofFolds) * (shift + width) - ofBound * beyond;
  }
  return [time * Math.exp(Math.min(0, low)), time * Math.exp(Math.max(0, high))];
};
// Beyond its clamps the Gaussian process is constant, so that its correction is not to be relied on there.
const withinCaps = (values) => !dependsBeyond(values) &&
  model.process.caps.every(([n, most]) => !(numbersOf(values)[n] > most));
const findingsIn = (values) => {
  const [numbers, levels] = model.inputs(...model.columns.map(({name}) => values.get(name)));
  const out = [];
  model.numbers.forEach(({name, low, high, beyond}, n) => {
    if (!(low <= numbers[n] && numbers[n] <= high))
      out.push(name + " = " + short(numbers[n]) + " is outside of the measured range " +
               short(low) + " .. " + short(high) + (numbers[n] > high ? beyond : ""));
  });
  const apart = model.ties.filter(([, column, , factors, divisor]) => factors.length &&
    values.get(column) !== stepOf(values, factors, divisor)).map(([, column]) => column);
  for (const column of new Set(apart))
    out.push(column + " is not as it was beside the others in all runs");
  for (const [text, parts] of model.regions)
    if (parts.every(([kind, n, a, b]) =>
      kind === 1 ? levels[n] === a : a <= numbers[n] && numbers[n] <= b))
      out.push("nothing was measured at " + text);
  return out;
};

// The panel.
const time = made("data", {id: "what-if-time", value: ""});
const range = made("span", {id: "what-if-interval"});
const verdict = made("p", {id: "what-if-range"});
const basis = made("p", {id: "what-if-support", class: "soft"});
const problem = made("p", {id: "what-if-problem", class: "doubt", role: "alert"});
const answer = made("div", {role: "status", class: "card"}, made("p", {class: "big"}, time),
  made("p", {}, range), verdict, basis);
const controls = made("div", {class: "controls"});
const ordered = [...model.columns].sort((a, b) => (b.scale ? 1 : 0) - (a.scale ? 1 : 0));
const numeric = ordered.filter((column) => column.low !== undefined);
const along = made("select", {id: "what-if-along"},
  ...numeric.map(({name}) => made("option", {value: name}, name)));
const curve = made("div", {id: "what-if-curve"});
let values = start;
const steps = 200;
const refreshers = [];

const slider = (column) => {
  const high = column.high * (column.scale ? 4 : 1);
  const place = (x) => column.zero ? Math.log1p(x / column.zero) : Math.log(x);
  const first = place(column.low), last = place(high);
  const valueAt = (step) => {
    const at = first + (last - first) * step / steps;
    const value = column.zero ? column.zero * Math.expm1(at) : Math.exp(at);
    const rounded = column.whole ? Math.round(value) : Number(value.toPrecision(3));
    return Math.min(high, Math.max(column.low, rounded));
  };
  const input = made("input", {type: "range", min: 0, max: steps, step: 1,
    "aria-label": column.name + ", as a slider"});
  input.addEventListener("input", () => change(column.name, valueAt(Number(input.value))));
  refreshers.push(() => {
    const value = values.get(column.name);
    const step = last > first ? (place(value) - first) / (last - first) * steps : 0;
    if (valueAt(Number(input.value)) !== value) input.value = Math.round(step);
    input.setAttribute("aria-valuetext", short(value));
  });
  return input;
};
ordered.forEach((column, i) => {
  const id = "what-if-" + i;
  const input = column.levels
    ? made("select", {id}, ...column.levels.map((level) => made("option", {value: level}, level)))
    : made("input", {id, type: "number", step: "any"});
  input.addEventListener(column.levels ? "change" : "input", () =>
    change(column.name, column.levels ? input.value
                                      : input.value === "" ? NaN : Number(input.value)));
  refreshers.push(() => {
    const value = values.get(column.name);
    if (document.activeElement !== input || column.levels) input.value = value;
  });
  const hint = column.low === undefined ? "" : short(column.low) + " .. " + short(column.high);
  controls.append(made("div", {class: "control"},
    made("label", {for: id}, column.name, hint ? made("span", {class: "soft"}, " " + hint) : ""),
    input, column.low === undefined ? "" : slider(column)));
});

const scalesOf = (column, value) => {
  const out = new Set([column.low, column.high, value].filter((x) => x > 0));
  const first = Math.min(...out);
  if (column.whole && column.high <= 16)
    for (let x = first; x <= column.high; ++x) out.add(x);
  for (let x = first; x < column.high; x *= 2) out.add(x);
  for (let x = column.high * 2; column.scale && x <= column.high * 4; x *= 2) out.add(x);
  return [...out].sort((a, b) => a - b);
};
const drawCurve = () => {
  const column = columnOf.get(along.value);
  if (!column) return;
  const here = values.get(column.name);
  const points = scalesOf(column, here).map((x) => {
    const at = withValue(values, column.name, x);
    const y = predicted(at);
    return {x, y, ends: intervalOf(y, at), measured: findingsIn(at).length === 0};
  }).filter(({y}) => isTime(y));
  if (points.length < 2) {
    curve.replaceChildren();
    return;
  }
  const all = points.flatMap(({y, ends}) => ends ? [y, ...ends] : [y]).filter(isTime);
  const low = Math.min(...all), high = Math.max(...all);
  const spread = Math.max(Math.log(high / low), 1e-9);
  const last = points[points.length - 1].x;
  const x = (value) => 60 + 360 * Math.log(value / points[0].x) / Math.log(last / points[0].x);
  const y = (value) => 250 - 214 * Math.log(value / low) / spread;
  const place = (point) => x(point.x).toFixed(2) + " " + y(point.y).toFixed(2);
  const told = points.map((point) => short(point.x) + ": " + timeText(point.y)).join(", ");
  const svg = drawn("svg", {viewBox: "0 0 440 300", role: "img",
    "aria-label": model.target + " against " + column.name + ": " + told});
  const unit = unitOf(high);
  const free = [];
  const tick = (value, text) => {
    const at = x(value), half = 4 * text.length + 4;
    svg.append(drawn("line", {class: "grid", x1: at, x2: at, y1: 36, y2: 250}));
    if (free.every(([from, to]) => at + half < from || at - half > to)) {
      svg.append(drawn("text", {x: at, y: 268, "text-anchor": "middle"}, text));
      free.push([at - half, at + half]);
    }
  };
  tick(points[0].x, short(points[0].x));
  tick(last, short(last));
  if (here >= points[0].x && here <= last) tick(here, short(here));
  points.forEach((point) => tick(point.x, short(point.x)));
  const middle = Math.sqrt(low * high);
  for (const value of [low, middle, high]) {
    svg.append(drawn("line", {class: "grid", x1: 60, x2: 420, y1: y(value), y2: y(value)}),
      drawn("text", {x: 54, y: y(value) + 4, "text-anchor": "end"}, short(value * unit.factor)));
  }
  svg.append(drawn("text", {x: 240, y: 292, "text-anchor": "middle"}, column.name),
    drawn("text", {x: 8, y: 14}, model.target + (unit.name ? " [" + unit.name + "]" : "")));
  const banded = points.filter(({ends}) => ends && ends.every(isTime));
  if (banded.length > 1) {
    const side = (end) => banded.map((p) => x(p.x).toFixed(2) + " " + y(p.ends[end]).toFixed(2));
    svg.append(drawn("path", {class: "band",
      d: "M" + [...side(0), ...side(1).reverse()].join("L") + "z"}));
  }
  for (let i = 1; i < points.length; ++i) {
    const solid = points[i - 1].measured && points[i].measured;
    svg.append(drawn("path", {class: solid ? "curve" : "curve beyond",
      d: "M" + place(points[i - 1]) + "L" + place(points[i])}));
  }
  for (const point of points)
    svg.append(drawn("circle", {class: point.x === here ? "middle" : "bar", cx: x(point.x),
      cy: y(point.y), r: point.x === here ? 6 : 3}));
  curve.replaceChildren(svg, made("p", {class: "soft"}, "Solid: measured range; dashed: " +
    "extrapolated; the large dot is the configuration above" +
    (banded.length > 1 ? "; the band is the interval." : ".")));
};

const show = () => {
  const now = predicted(values);
  const ends = intervalOf(now, values);
  const support = !model.process ? ""
    : varianceOf(model.correlations) <= model.process.near && withinCaps(values) ? "process"
    : "trend";
  time.value = isTime(now) ? String(now) : "";
  time.textContent = isTime(now) ? timeText(now) : "no prediction";
  range.textContent = !ends ? "" : short(100 * model.interval.level) + " % interval: " +
    short(ends[0] * unitOf(now).factor) + " .. " + timeText(ends[1], unitOf(now));
  range.dataset.low = ends ? String(ends[0]) : "";
  range.dataset.high = ends ? String(ends[1]) : "";
  const findings = findingsIn(values);
  const doubts = model.doubts.map((doubt) => "; " + doubt).join("");
  verdict.className = findings.length || doubts ? "doubt" : "";
  verdict.dataset.inRange = String(findings.length === 0);
  verdict.textContent = (findings.length
    ? "Extrapolated: " + findings.slice(0, 3).join("; ") + (findings.length > 3 ? "; ..." : "")
    : (doubts ? "" : "\u2713 ") + "within the measured range") + doubts;
  basis.dataset.support = support;
  basis.textContent = support === "process" ? "Measured runs nearby; residual correction applied."
    : support === "trend" ? "No measured runs nearby; formula only." : "";
  refreshers.forEach((refresh) => refresh());
  drawCurve();
};
const remember = () => {
  const set = new URLSearchParams();
  for (const [name, value] of values) if (value !== start.get(name)) set.set(name, value);
  try {
    history.replaceState(null, "", "#" + set.toString());
  } catch (refused) {
    // The address of some frames cannot be changed.
  }
};
const change = (name, value) => {
  const allowed = allows(columnOf.get(name), value);
  problem.textContent = allowed ? "" : name + " cannot have this value.";
  if (!allowed) return;
  values = withValue(values, name, value);
  show();
  remember();
};
const readAddress = () => {
  const set = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
  const wrong = [];
  let out = start;
  const given = new Map();
  for (const [name, text] of set) {
    const column = columnOf.get(name);
    const value = column && !column.levels ? (text === "" ? NaN : Number(text)) : text;
    if (!column || !allows(column, value)) wrong.push(name + " = " + text);
    else given.set(name, value);
  }
  // What is tied moves with the first of the scales that are set, unless it is set itself.
  const moving = [];
  for (const name of given.keys())
    if (!moving.some((scale) => model.ties.some(([s, column]) => s === scale && column === name)))
      moving.push(name);
  for (const name of moving) out = withValue(out, name, given.get(name));
  for (const [name, value] of given) out.set(name, value);
  values = out;
  problem.textContent = wrong.length ? "The model has no " + wrong.join(", ") + "." : "";
  show();
};

const reset = made("button", {type: "button"}, "As in " + model.place);
reset.addEventListener("click", () => {
  values = start;
  problem.textContent = "";
  show();
  remember();
});
along.addEventListener("change", drawCurve);
const section = made("section", {id: "what-if", "aria-labelledby": "what-if-heading"},
  made("h2", {id: "what-if-heading"}, "What if?"),
  made("div", {class: "explore"},
    made("div", {}, controls, problem, reset),
    made("div", {}, answer, numeric.length
      ? made("p", {}, made("label", {for: "what-if-along"}, "Curve along "), along) : "", curve)));
document.querySelector("main > .cards").after(section);
window.addEventListener("hashchange", readAddress);
readAddress();
)js";

namespace {

constexpr std::size_t kMostRegions = 10;

std::string paragraph(const std::string& text) {
  return doc::html(doc::Paragraph{text});
}

template <class Blocks>
std::string all(const Blocks& blocks) {
  std::string out;
  for (const auto& block : blocks)
    out += doc::html(block);
  return out;
}

std::string section(const std::string& heading, const std::string& content,
                    const std::string& style = "") {
  return "<section" + (style.empty() ? "" : attribute("class", style)) + ">\n" +
         element("h2", "", escaped_markup(heading)) + "\n" + content + "</section>\n";
}

std::string figures(const std::string& drawn) {
  return drawn.empty() ? "" : "<div class=\"figures\">\n" + drawn + "</div>\n";
}

std::string preformatted(const std::string& text) {
  return element("pre", "", escaped_markup(text)) + "\n";
}

std::string formula_in(const Content& content, FormulaLanguage language) {
  return preformatted(formula_code(content.model, language));
}

/// Explains what the central configuration is.
std::string central_text(const Content& content) {
  const CentralConfiguration& central = content.central;
  if (content.model.central)
    return central.place + ", the run of the fit that is nearest to all others";
  return central.of_the_fit ? central.place + " of the runs behind the fit"
                            : central.place +
                                  ", the run of this page that is nearest to all others (the model "
                                  "file names none)";
}

std::string comparison_section(const Content& content) {
  if (!content.comparison)
    return "";
  return section(
      "Is it better than the old model?",
      doc::html(comparison_table(content)) +
          paragraph("On these runs, new minus old: " + comparison_text(*content.comparison) +
                    ". The interval is of a paired bootstrap over configurations."));
}

std::string duration_section(const Content& content) {
  return section(
      std::string(words_in(content).question),
      paragraph("The model, with numbers rounded to three digits:") +
          formula_in(content, FormulaLanguage::text) +
          paragraph("The answers of this page are for the configuration of " +
                    central_text(content) + ": " +
                    settings_text(content.model.spec, content.central.configuration) + ".") +
          doc::html(group_table(content)) + group_figures(content));
}

std::string share_section(const Content& content) {
  const std::string reasons(words_in(content).reasons);
  if (content.shares.empty()) {
    return section(reasons, paragraph("The predictions of these runs do not have a positive sum, "
                                      "so there are no shares."));
  }
  return section(reasons, figures(share_figure(content) + doc::html(effect_table(content))) +
                              term_table(content));
}

std::string scaling_section(const Content& content) {
  if (content.powers.empty())
    return section("How does it scale?", paragraph("The model has no scale."));
  std::string drawn;
  for (std::size_t i = 0; i < content.curves.size(); ++i) {
    const ScaleCurve& curve = content.curves[i];
    drawn += "<div class=\"along\">\n" +
             figures(scale_figure(content, curve, i + 1) + speedup_figure(content, curve, i + 1)) +
             doc::html(forecast_table(content, curve)) + "</div>\n";
  }
  const std::string meaning = "The effect of doubling a scale is the predicted ratio of " +
                              std::string(words_in(content).values) +
                              " at the shown configuration. A power states how " +
                              std::string(content.model.form->words().scaled_part) +
                              " depends on it" + (content.model.typical ? " there" : "");
  return section(
      "How does it scale?",
      paragraph(meaning +
                (is_speed(measure_of(content.model.spec)) ? ": -1 is ideal, 0 is no gain." : ".")) +
          doc::html(power_table(content)) + paragraph(scale_legend(content)) + drawn);
}

std::string trust_section(const Content& content) {
  std::string text = paragraph(
      content.fitted_to_these_runs
          ? "The model was fitted to these runs. Its error on other runs may be larger; the test "
            "part of a fit (--split, --test) shows it."
      : content.used.used > 0 ? content.used.text() + "."
                              : "");
  text += doc::html(metrics_table(content));
  const std::string noise = noise_text(content);
  text += paragraph(noise.empty() ? "" : "Against the noise of these runs: " + noise + ".");
  text += paragraph(interval_text(content));
  text += figures(parity_figure(content) + residual_figure(content) + histogram_figure(content));
  if (!content.bound)
    text += doc::html(doc::Heading{"Where it errs"}) + error_figures(content) +
            "<div class=\"tables\">\n" + doc::html(error_table(content)) +
            doc::html(worst_table(content)) + "</div>\n";

  const std::vector<std::string> warnings = warnings_of(content);
  text += doc::html(doc::Heading{"Warnings"}) +
          (warnings.empty() ? paragraph("None.") : doc::html(doc::List{warnings}));

  std::vector<std::string> regions;
  for (const UnmeasuredRegion& region : content.model.known.unmeasured) {
    if (regions.size() == kMostRegions) {
      regions.push_back(std::to_string(content.model.known.unmeasured.size() - kMostRegions) +
                        " further regions, which model.json lists");
      break;
    }
    regions.push_back(to_text(region));
  }
  if (!regions.empty()) {
    text += doc::html(doc::Heading{"Unmeasured regions within the ranges of the columns"}) +
            doc::html(doc::List{regions});
  }
  if (const std::vector<std::string> laws = laws_in_words(content.model); !laws.empty())
    text += doc::html(doc::Heading{"L" + heading_of_laws(content.model).substr(1)}) +
            doc::html(doc::List{laws});
  return section("How far can it be trusted?", text);
}

std::string constant_section(const Content& content) {
  const bool knows = content.model.known.identifiability.has_value();
  return section(
      "Constants",
      paragraph(knows ? "Constants that the runs do not determine, or that are at a bound, are "
                        "unreliable; predictions within the measured range are not affected."
                      : "") +
          "<div class=\"tables\">\n" + all(constant_tables(content)) + "</div>\n" +
          doc::html(doc::Heading{"The formula in LaTeX"}) +
          formula_in(content, FormulaLanguage::latex),
      "constants");
}

std::string origin_section(const Content& content) {
  return section("Where it comes from",
                 doc::html(file_table(content)) + doc::html(search_table(content)) +
                     doc::html(doc::List{content.model.provenance.notices}) +
                     paragraph("This page was written by " + content.tool +
                               "; the same program and files give the same bytes again:") +
                     preformatted(content.command));
}

/// Wraps the script in a CDATA section, whose delimiters are comments in JavaScript.
std::string script_of(const std::string& exploration) {
  if (exploration.empty())
    return "";
  return "<script>//<![CDATA[\n\"use strict\";\n{\n" + exploration + std::string(kExploreScript) +
         "}\n//]]></script>\n";
}

std::string page_around(const std::string& title, const std::string& subtitle,
                        const std::string& main, const std::string& exploration) {
  const std::string shown = escaped_markup(title);
  std::string page =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'" +
      std::string(exploration.empty() ? "" : "; script-src 'unsafe-inline'") +
      "\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  page += element("title", "", shown) + "\n<style>" + std::string(kStyle) +
          "</style>\n</head>\n<body>\n<header>\n" + element("h1", "", shown) + "\n";
  return page + element("p", attribute("class", "soft"), escaped_markup(subtitle)) +
         "\n</header>\n<main>\n" + main + "</main>\n" + script_of(exploration) +
         "</body>\n</html>\n";
}

}  // namespace

std::string sections_of(const Content& content) {
  std::string out = "<div class=\"cards\">\n" + all(answers_of(content)) + "</div>\n" +
                    comparison_section(content) + duration_section(content) +
                    share_section(content) + scaling_section(content);
  if (content.has_runs)
    out += trust_section(content);
  else if (const std::vector<std::string> warnings = warnings_of(content); !warnings.empty())
    out += section("Warnings", doc::html(doc::List{warnings}));
  out += constant_section(content);
  return content.has_runs ? out + origin_section(content) : out;
}

}  // namespace perfmodel::page

namespace perfmodel {

std::string report_html(const page::Content& content, const std::string& title,
                        const std::string& exploration) {
  return page::page_around(page::title_text(content, title), page::subtitle(content),
                           page::sections_of(content), exploration);
}

std::string set_html(const page::SetContent& content) {
  std::string main;
  for (const auto& [heading, table] : content.tables)
    main += page::section(heading, doc::html(table), "models");
  if (!content.pages.empty())
    main += element("h2", "", "The models") + "\n";
  for (const auto& [name, sections] : content.pages)
    main += element("details", "", element("summary", "", escaped_markup(name)) + "\n" + sections) +
            "\n";
  return page::page_around(content.title, content.subtitle, main, "");
}

}  // namespace perfmodel
