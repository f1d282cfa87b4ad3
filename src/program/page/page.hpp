#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "page/page_content.hpp"
#include "perfmodel/error.hpp"
#include "report/document.hpp"
#include "roles/quantities.hpp"

namespace perfmodel::page {

/// Returns the answers: how long, what takes the time, how it scales, how far to trust the model.
std::vector<doc::Answer> answers_of(const Content& content);

/// Returns the difference of the mean errors with its interval.
std::string comparison_text(const Comparison& other);

/// Returns `wanted`, or "TARGET: MODEL on RUNS" if it is empty.
std::string title_text(const Content& content, const std::string& wanted);

/// Returns "runs.csv: 1500 runs, ...".
std::string subtitle(const Content& content);

/// Compares the error with the noise of the runs; empty if the noise is unknown.
std::string noise_text(const Content& content);

/// Returns the warnings of the model, and those on runs outside of its training range.
std::vector<std::string> warnings_of(const Content& content);

/// Compares nominal and actual coverage of the model's intervals; empty if it has none.
std::string interval_text(const Content& content);

/// True if the constant is undetermined or at a bound.
bool is_doubtful(ConstantStatus status);

/// Returns "+3.0 %".
std::string signed_percent(double value);

/// Returns the unit of figures in columns, such as errors: that of the median time.
ShownTime page_time(const Content& content);
/// How the page speaks of the target.
const MeasureWords& words_in(const Content& content);
/// Whether the speedup along the scale is shown: of times and rates, if it counts workers.
bool tells_speedup(const Content& content, const ScaleCurve& curve);

// Tables of the page; without rows if there is nothing to list.

/// Metrics of the data splits that the model was fitted and judged on, and of the runs.
doc::Table metrics_table(const Content& content);

/// The runs with the largest errors, with their lines in the file.
doc::Table worst_table(const Content& content);

/// Share and formula of each term of a sum, small terms last and collapsed, as markup; empty for
/// Eq. (4).
std::string term_table(const Content& content);

/// Predictions along a scale: time, interval, speedup.
doc::Table forecast_table(const Content& content, const ScaleCurve& curve);

/// Runs by level, if one typical time is meaningless.
doc::Table group_table(const Content& content);

/// Errors by level and by scale.
doc::Table error_table(const Content& content);

/// Both models on the same runs; empty without a second model.
doc::Table comparison_table(const Content& content);

/// Effect of each input on the time of the central configuration.
doc::Table effect_table(const Content& content);

doc::Table power_table(const Content& content);

/// All constants with their uncertainty (one table per term of a sum), and differences between
/// levels.
std::vector<doc::Table> constant_tables(const Content& content);

/// Input files of the page, with the digests of their bytes.
doc::Table file_table(const Content& content);

/// Settings of the search for the constants; empty if the model does not record them.
doc::Table search_table(const Content& content);

/// Returns the answers and all sections of a page, as markup.
std::string sections_of(const Content& content);

/// The page of a set of models.
struct SetContent {
  std::string title;
  std::string subtitle;
  std::vector<std::pair<std::string, doc::Table>> tables;  ///< heading and table
  std::vector<std::pair<std::string, std::string>> pages;  ///< model name and sections
};

}  // namespace perfmodel::page

namespace perfmodel {

/// Returns one page like report_html(): the tables, then the collapsed page of each model.
std::string set_html(const page::SetContent& content);

/// Returns one page of HTML that is also well-formed XML, with style and figures inline. It loads
/// nothing, and its only script is the panel of `exploration`, see exploration_script(); empty: no
/// panel. The same content gives the same bytes. An empty title means "TARGET: MODEL on RUNS".
std::string report_html(const page::Content& content, const std::string& title,
                        const std::string& exploration = "");

}  // namespace perfmodel

namespace perfmodel::page {

/// Style sheet with colours that colour-blind readers can distinguish (Okabe and Ito), on light and
/// dark backgrounds. Must not contain characters that XML reads as markup.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2430; --soft: #55606e; --line: #d5dae1;
  --card: #f4f6f9; --blue: #0072b2; --orange: #b34700; --ground: #55606e1f; --band: #0072b226; --alarm: #fff1d6; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181e; --ink: #e6eaf0; --soft: #a3adba; --line: #39424e; --card: #1d232c;
    --blue: #56b4e9; --orange: #f0a04b; --ground: #a3adba24; --band: #56b4e933;
    --alarm: #3d2c0b; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1.25rem 3rem; max-width: 72rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .75rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p, ul { margin: .5rem 0; max-width: 60rem; overflow-wrap: anywhere; }
.soft, figcaption, caption { color: var(--soft); }
.cards { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: .75rem;
  margin: 1.25rem 0; }
.card { background: var(--card); border-radius: .5rem; padding: .75rem 1rem; }
.card p { margin: .25rem 0; }
.alarm { background: var(--alarm); box-shadow: inset .25rem 0 var(--orange); }
.question { font-weight: 600; }
.big { font-size: 1.5rem; font-weight: 600; line-height: 1.25; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr));
  gap: 1.25rem; margin: 1rem 0; }
.multiples { grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: 1rem; }
.multiples svg text { font-size: 13px; }
summary { cursor: pointer; color: var(--soft); }
.tables { display: flex; flex-wrap: wrap; gap: 0 3rem; align-items: flex-start; }
.figures .wide, .tables .wide { min-width: 0; max-width: 100%; }
.figures .wide { margin-top: 0; }
.figures .wide th, .figures .wide td { padding-right: .6rem; }
.figures > .wide:only-child { grid-column: 1 / -1; }
@media screen { .figures:has(.wide) { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }
  .multiples:has(> :nth-child(4n + 5):last-child) {
    grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); }
  td:not(.n, :empty):last-child { min-width: 9rem; } .models table { font-size: .8rem; }
  .models tr > :nth-child(n) { min-width: 0; padding-right: .5rem; }
  body:has(.models) { max-width: 84rem; } }
@media screen and (max-width: 60rem) { .figures:has(.wide) { grid-template-columns: minmax(0, 1fr); }
  .cards { grid-auto-flow: row; grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .cards > :last-child:nth-child(odd) { grid-column: 1 / -1; } }
figure { margin: 0; min-width: 0; }
figcaption { font-size: .875rem; margin-top: .25rem; overflow-wrap: anywhere; }
svg { display: block; width: 100%; max-width: 34rem; height: auto; }
svg text { fill: var(--ink); font: 14px system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: 1; }
.line { stroke: var(--ink); stroke-width: 1.25; fill: none; }
.dashed { stroke: var(--soft); stroke-width: 1.25; stroke-dasharray: 5 4; fill: none; }
.dots { stroke: var(--blue); stroke-width: 3.5; stroke-linecap: round; stroke-opacity: .65;
  fill: none; }
.few { stroke-width: 7; }
.near { stroke: var(--ink); stroke-width: 6; stroke-opacity: .8; }
.cell { fill: var(--blue); }
.shade1 { fill-opacity: .15; } .shade2 { fill-opacity: .35; } .shade3 { fill-opacity: .55; }
.shade4 { fill-opacity: .75; } .shade5 { fill-opacity: 1; }
.bar { fill: var(--blue); stroke: var(--paper); stroke-width: .5; }
.worst { fill: none; stroke: var(--orange); stroke-width: 2; }
.unmeasured { fill: var(--ground); }
.hollow { fill: none; stroke: var(--soft); stroke-width: 1.25; }
.point { fill: var(--blue); stroke: var(--paper); stroke-width: 1; }
.shown { fill: var(--paper); stroke: var(--blue); stroke-width: 3; }
.process { fill: var(--orange); }
.total { fill: var(--soft); }
.band { fill: var(--band); }
.curve { stroke: var(--blue); stroke-width: 2.5; fill: none; }
.beyond { stroke-dasharray: 7 5; }
.whisker { stroke: var(--orange); stroke-width: 2.5; fill: none; }
.middle { fill: var(--orange); stroke: var(--paper); stroke-width: 1; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; padding-bottom: .35rem; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
thead th { border-bottom: 2px solid var(--line); white-space: nowrap; }
tbody th { font-weight: 400; white-space: nowrap; }
th.group { font-weight: 600; padding-top: .75rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; } .n, .whole { white-space: nowrap; }
.doubt { color: var(--orange); font-weight: 600; }
pre { background: var(--card); border-radius: .5rem; padding: .75rem 1rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
td code { overflow-wrap: anywhere; }
.explore { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr));
  gap: 1rem 2rem; align-items: start; }
.controls { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr));
  gap: .6rem 1.25rem; margin: .5rem 0; }
.control label { display: block; font-size: .875rem; overflow-wrap: anywhere; }
.control input, .control select { width: 100%; margin: .1rem 0 0; }
input, select, button { font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--soft); border-radius: .3rem; padding: .15rem .4rem; max-width: 100%; }
input[type=range] { padding: 0; accent-color: var(--blue); }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding: 1rem .75rem 2rem; } .cards { grid-template-columns: minmax(0, 1fr); }
  .explore > :last-child { order: -1; }
  table, caption, tbody, tr, .wide td, .wide th { display: block; }
  thead { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
  tr { padding: .35rem 0; border-bottom: 1px solid var(--line); }
  .wide td, .wide th { border: 0; padding: 0; text-align: left; white-space: normal; }
  tbody th { font-weight: 600; }
  td::before, th[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  td[data-label=""]::before { content: none; }
  td:empty { display: none; }
}
@media print {
  :root { --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --card: #f2f2f2;
    --blue: #0072b2; --orange: #b34700; --ground: #55606e1f; --band: #0072b226;
    --alarm: #fff1d6; }
  body { max-width: none; padding: 0; font-size: 8.5pt; line-height: 1.3;
    print-color-adjust: exact; }
  h1 { font-size: 15pt; } h3 { font-size: 9pt; }
  h2 { font-size: 11pt; margin: .9rem 0 .25rem; padding-top: .35rem; }
  p, ul { margin: .25rem 0; max-width: none; }
  .big { font-size: 12pt; }
  .cards { gap: .4rem; margin: .5rem 0; } .card { padding: .35rem .5rem; }
  .figures { grid-template-columns: repeat(6, 1fr); grid-auto-flow: dense; gap: .4rem .8rem;
    margin: .4rem 0; }
  .figures figure { grid-column: span 2; } .figures .wide { grid-column: span 4; }
  .along { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; align-items: start;
    break-inside: avoid; }
  .along .figures { grid-template-columns: repeat(4, 1fr); } .along td:last-child { min-width: 6rem; }
  .multiples { grid-template-columns: repeat(5, 1fr); }
  .multiples:has(> :nth-child(5n + 6):last-child) { grid-template-columns: repeat(6, 1fr); }
  .multiples figure { grid-column: span 1; }
  .wide { overflow: visible; margin: .4rem 0; }
  .tables { display: block; columns: 2; }
  .tables .wide:last-child { column-span: all; }
  table { font-size: 6.5pt; }
  th, td { padding: .08rem .5rem .08rem 0; }
  figcaption, code, pre { font-size: 6.5pt; }
  .constants, #what-if { display: none; }
  figure, .card, tr { break-inside: avoid; }
  h2, h3, summary, caption, thead, tr:has(.group) { break-after: avoid; }
  details::details-content { content-visibility: visible; }
  main > details + details { break-before: page; }
}
)";

}  // namespace perfmodel::page

namespace perfmodel {

/// Returns the answers of the page as Markdown, short enough for a comment. Names from files are
/// escaped.
std::string report_markdown(const page::Content& content, const std::string& title);

}  // namespace perfmodel

namespace perfmodel::figures {

/// A figure for papers and slides.
struct FigureFile {
  std::string name;  ///< "parity", without extension
  std::string svg;   ///< stand-alone document
};

/// Extracts the figures of a page written by report_html(), in light colours.
std::vector<FigureFile> figures_of_page(std::string_view page);

}  // namespace perfmodel::figures
