#include <algorithm>
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "support/markup.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A whole page that loads nothing, runs nothing but its panel and has no number that is none.
void check_report_page(const std::string& page) {
  CHECK(markup_problem(page).empty());
  CHECK(page.starts_with("<!DOCTYPE html>\n"));
  CHECK(page.ends_with("</html>\n"));
  static const std::regex no_number("[^A-Za-z](nan|inf)[^A-Za-z]");
  CHECK_FALSE(std::regex_search(page, no_number));
  for (const char* text : {"href=", "src=", "url(", "@import"})
    CHECK(page.find(text) == std::string::npos);
  const std::size_t script = page.find("<script");
  REQUIRE(script != std::string::npos);
  CHECK(script == page.rfind("<script>//<![CDATA[\n"));
  CHECK(page.find("</script") == page.rfind("]]></script>\n</body>") + 3);
}

class ReportTest : public SampleModelTest {
 public:
  ReportTest() {
    write("runs.csv", "filters,activation,workers,time_s\n4,relu,2,4\n4,tanh,2,5\n4,tanh,2,5.5\n");
  }
  ProgramResult report(const Words& further = {"runs.csv"},
                       const std::string& model = "model.json") const {
    return run({"report", model}, further);
  }
  /// A page that is whole.
  std::string page_of(const Words& further, const std::string& model = "model.json") const {
    const std::string page = report(further, model).succeeded().output;
    check_report_page(page);
    return page;
  }
  nlohmann::json evaluated(const std::string& runs, const std::string& model = "model.json") const {
    return run({"evaluate", model, runs, "--format", "json"}).json();
  }
};

/// The value of the i-th <data> behind this heading of a row.
double value_in_row(const std::string& page, const std::string& heading, std::size_t i) {
  std::size_t at = page.find(">" + heading + "<");
  REQUIRE(at != std::string::npos);
  for (std::size_t k = 0; k <= i; ++k)
    at = page.find("<data value=\"", at + 1);
  at += 13;
  return parse_number(page.substr(at, page.find('"', at) - at)).value();
}

/// Runs of the sample model with a scatter of 20 %.
std::string many_runs(std::size_t rows) {
  std::string csv = "filters,activation,workers,time_s\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double filters = 1 + static_cast<double>(row * 7919 % 997) / 150;
    const double workers = static_cast<double>(1 + row % 4);
    const double time =
        (0.5 * filters * filters + 0.25) / workers * (0.8 + static_cast<double>(row % 41) / 100);
    csv += csv_row(filters, "relu", workers, time);
  }
  return csv;
}

}  // namespace

TEST_CASE_METHOD(ReportTest,
                 "report prints a page that needs nothing else, with the figures of evaluate",
                 "[cli][report]") {
  const ProgramResult result = report().succeeded();
  CHECK(result.errors.empty());
  const std::string& page = result.output;
  check_report_page(page);
  CHECK(texts_of(page, "title").front() == "time_s: model.json on runs.csv");
  CHECK(texts_of(page, "svg").size() == 7);
  CHECK(texts_of(page, "h2") ==
        std::vector<std::string>{"How long does an iteration take?", "What makes it long?",
                                 "How does it scale?", "How far can it be trusted?", "Constants",
                                 "Where it comes from"});
  // All digits of the figures are there.
  const nlohmann::json evaluation = evaluated("runs.csv");
  const nlohmann::json& metrics = evaluation["metrics"];
  std::size_t i = 0;
  for (const char* name : {"mae", "mape_percent", "smape_percent", "mse", "rmse", "r2"})
    CHECK(value_in_row(page, "these runs: runs.csv", i++) == metrics[name].get<double>());
  CHECK(value_in_row(page, "fit: training", 0) == 0.001);
  CHECK_THAT(page, ContainsSubstring(percent(metrics["mape_percent"].get<double>()) + " off"));
  CHECK_THAT(page, ContainsSubstring("from 2 replicated rows"));
  REQUIRE(evaluation["noise_floor"]["rows"] == 2);
  // Formula, powers, worst runs, warnings and files.
  CHECK(texts_of(page, "pre")[0] == run({"show", "model.json"}).output);
  CHECK(value_in_row(page, "workers", 0) > 0);
  CHECK_THAT(page, ContainsSubstring("times faster</td>"));
  CHECK_THAT(page, ContainsSubstring("<li>few rows, &quot;quoted&quot; é</li>"));
  // 4, 5 and 5.5 are predicted as 4.25, 4.5 and 4.5.
  CHECK_THAT(page, ContainsSubstring(
                       " data-label=\"line\">4</th><td class=\"n\" data-label=\"measured\"><data "
                       "value=\"5.5\">5.5 s</data>"));
  const auto digest = output_of("sha256sum < '" + file("runs.csv") + "'");
  if (digest)
    CHECK_THAT(page, ContainsSubstring(digest->substr(0, 64)));
  CHECK_THAT(page, ContainsSubstring("perfmodel report model.json runs.csv -o report.html"));
  CHECK_THAT(page, ContainsSubstring(">MAE [s]<"));
  CHECK_THAT(page, !ContainsSubstring("card alarm"));  // of a small error
}

TEST_CASE_METHOD(ReportTest, "a page shows errors in the unit of its times", "[cli][report]") {
  const auto cell_behind = [](const std::string& page, const std::string& heading) {
    const std::size_t at = page.find(">", page.find("<data", page.find(">" + heading + "<"))) + 1;
    return parse_number(page.substr(at, page.find('<', at) - at)).value();
  };
  write("short.csv", "filters,activation,workers,time_s\n4,relu,2,.004\n4,tanh,2,.005\n");
  const double mae = evaluated("short.csv")["metrics"]["mae"];
  for (const Words& asked : {Words{"short.csv"}, Words{"model.json", "short.csv"}}) {
    const std::string page = report(asked).output;
    for (const char* heading : {">MAE [ms]<", ">RMSE [ms]<", ">MSE [ms^2]<"})
      CHECK_THAT(page, ContainsSubstring(heading));
    CHECK_THAT(page, !ContainsSubstring("MAE [s]"));
    CHECK(value_in_row(page, "these runs: short.csv", 0) == mae);
    CHECK(cell_behind(page, "these runs: short.csv") == Catch::Approx(1000 * mae).epsilon(1e-3));
  }
}

TEST_CASE_METHOD(ReportTest, "speedups are relative to a scale that was measured",
                 "[cli][report]") {
  // Halving the central run's 12 cores leads to 3, which nobody measured.
  std::string csv = "cores,time_s\n";
  for (const int cores : {1, 2, 4, 8, 12, 16, 20, 24})
    csv += csv_row(cores, 1 + 90.0 / cores);
  write("cores.csv", csv);
  run({"fit", "cores.csv", "-o", "cores.json"}).succeeded();
  CHECK_THAT(report({"cores.csv"}, "cores.json").output,
             ContainsSubstring("against cores = 1; the dashed line is ideal"));
}

/// Of the part with this heading.
std::string section_of(const std::string& page, const std::string& heading) {
  const std::size_t begin = page.find("<h2>" + heading + "</h2>");
  REQUIRE(begin != std::string::npos);
  return page.substr(begin, page.find("</section>", begin) - begin);
}

TEST_CASE_METHOD(ReportTest, "each part of the page has what it asks for, in one unit",
                 "[cli][report]") {
  // From 640 ms to 10 s: the axis is in seconds, so the table below it is.
  std::string csv = "cores,kind,time_s\n";
  for (const int cores : {1, 2, 4, 8, 16, 32})
    for (const std::string kind : {"a", "b"})
      csv += csv_row(cores, kind, (kind == "a" ? 10 : 12) / std::pow(cores, 0.8));
  write("cores.csv", csv);
  run({"fit", "cores.csv", "--expression", "multi", "--terms", "1", "-o", "cores.json"})
      .succeeded();
  const std::string page = report({"cores.csv"}, "cores.json").output;
  CHECK_THAT(section_of(page, "How long does an iteration take?"),
             ContainsSubstring("<pre>t = ") && ContainsSubstring("kind{a: 1, b: 1.2}"));
  const std::string scaling = section_of(page, "How does it scale?");
  CHECK_THAT(scaling, ContainsSubstring(">cores, log<") && ContainsSubstring(">time_s [s], log<"));
  CHECK_THAT(scaling, ContainsSubstring("<th scope=\"col\" class=\"n\">time [s]</th>") &&
                          ContainsSubstring("<th scope=\"col\" class=\"n\">efficiency</th>") &&
                          !ContainsSubstring(" ms</data>"));
  // Ends of an effect are not torn apart; printing shows what is folded.
  CHECK_THAT(page,
             ContainsSubstring("class=\"whole\" data-label=\"from -&gt; to\">a -&gt; b</td>"));
  CHECK_THAT(page.substr(page.find("@media print")),
             ContainsSubstring("details::details-content { content-visibility: visible; }"));
}

TEST_CASE_METHOD(ReportTest, "a batch has predictions and no speedup", "[cli][report]") {
  write("batch.csv", csv_grid("depth,gpus,local_batch,time_s", {2, 4, 8}, {1, 2, 4}, {8, 16, 32768},
                              [](int depth, int gpus, int batch) {
                                return 0.001 * depth * (1 + 0.1 * gpus) * std::sqrt(batch);
                              }));
  run({"fit", "batch.csv", "-o", "batch.json"}).succeeded();
  const std::string page = page_of({"batch.csv"}, "batch.json");
  CHECK_THAT(page, ContainsSubstring("Predictions along gpus, weak scaling"));
  CHECK_THAT(page, ContainsSubstring("Speedup along gpus"));
  CHECK_THAT(
      page,
      ContainsSubstring(
          "Predictions along local_batch: &#39;local_batch&#39; is the work of an iteration"));
  CHECK_THAT(page, !ContainsSubstring("Speedup along local_batch"));
  CHECK_THAT(page, ContainsSubstring("8 .. 32768") && !ContainsSubstring("3.277e+04"));
  // Runs are drawn over what is predicted, not under it.
  const std::string figure = page.substr(page.find("id=\"scale-1-title\""));
  CHECK(figure.find("class=\"dots near\"") < figure.find("</svg>"));
  CHECK(figure.find("class=\"dots near\"") >
        figure.substr(0, figure.find("</svg>")).rfind("class=\"point"));
}

TEST_CASE_METHOD(ReportTest,
                 "report writes a page, the same bytes each time, and its figures as SVG",
                 "[cli][report]") {
  const Words command = {"runs.csv", "--figures", "out/figures", "-o", "report.html"};
  CHECK(report(command).succeeded().output.empty());
  const std::string page = read("report.html");
  CHECK(page == report().output);
  CHECK_THAT(report({"runs.csv", "--title", "A < B & \"C\""}).output,
             ContainsSubstring("<h1>A &lt; B &amp; &quot;C&quot;</h1>"));
  std::size_t figures = 0;
  for (std::size_t at = page.find("<svg "); at != std::string::npos;
       at = page.find("<svg ", at + 1)) {
    const std::size_t begin = page.find("<title id=\"", at) + 11;
    const std::string name = page.substr(begin, page.find("-title\"", begin) - begin);
    const std::string svg = read("out/figures/" + name + ".svg");
    CHECK(markup_problem(svg.substr(svg.find("<svg"))).empty());
    // What it draws is what the page has there.
    const std::string drawn = page.substr(begin, page.find("</svg>", at) - begin);
    CHECK_THAT(svg, ContainsSubstring(drawn));
    ++figures;
  }
  CHECK(figures > 4);
  CHECK(report({"runs.csv", "--figures", "runs.csv", "-o", "other.html"}).exit_code == 5);
}

TEST_CASE_METHOD(ReportTest, "report refuses and warns with the messages of evaluate",
                 "[cli][report]") {
  write("renamed.csv", "filters,activation,workers,seconds\n4,relu,2,4\n4,tanh,2,5\n");
  write("unknown.csv", "filters,activation,workers,time_s\n4,gelu,2,4\n");
  write("negative.csv", "filters,activation,workers,time_s\n4,relu,2,-4\n");
  for (const char* file : {"renamed.csv", "unknown.csv", "negative.csv", "absent.csv"}) {
    const std::string errors = report({file, "-o", "report.html"}).failed(3);
    CHECK_FALSE(errors.empty());
    CHECK(errors == run({"evaluate", "model.json", file}).errors);
  }
  CHECK(report({"renamed.csv", "--target", "seconds"}).exit_code == 0);
  CHECK(report({"-"}, "-").exit_code == 2);
  CHECK(report({"runs.csv", "-o", "no/such/report.html"}).exit_code == 5);
  // Runs beyond the measured range are listed.
  write("beyond.csv", "filters,activation,workers,time_s\n4,relu,2,4\n4,tanh,16,1\n");
  const ProgramResult result = report({"beyond.csv"});
  CHECK(result.errors == run({"evaluate", "model.json", "beyond.csv"}).errors);
  CHECK_THAT(result.errors, ContainsSubstring("workers"));
  CHECK_THAT(result.output, ContainsSubstring("<li>column &#39;workers&#39; leaves"));
  check_report_page(result.output);
}

TEST_CASE_METHOD(ReportTest, "names cannot become markup", "[cli][report]") {
  write("hostile.csv", csv_grid("\"<b>\",\"a&\"\"b\",workers,time_s", {1., 2., 4., 8.},
                                {"\"</svg><script>\"", "\"x'&\"\"y\""}, {1., 2., 4.},
                                [](double size, const std::string& level, double workers) {
                                  return (size + (level[1] == 'x' ? 1 : 2)) / workers + 0.1;
                                }));
  run({"fit", "hostile.csv", "--starts", "1", "-o", "hostile.json"}).succeeded();
  const std::string page = page_of({"hostile.csv"}, "hostile.json");
  CHECK_THAT(page, ContainsSubstring("&lt;/svg&gt;&lt;script&gt;"));
  CHECK_THAT(page, ContainsSubstring("a&amp;&quot;b"));
}

TEST_CASE_METHOD(ReportTest, "a model of derived columns has curves through them",
                 "[cli][report]") {
  write("derived.csv", csv_grid("filters,kernel,workers,time_s", {2., 4., 8., 16.}, {1., 2., 3.},
                                {1., 2., 4.}, [](double filters, double kernel, double workers) {
                                  return 0.001 * (filters * kernel / workers + 20);
                                }));
  run({"fit", "derived.csv", "--derive", "work = filters * kernel / workers", "--ignore",
       "filters,kernel", "--starts", "1", "-o", "derived.json"})
      .succeeded();
  const std::string page = page_of({"derived.csv"}, "derived.json");
  // The formula counts whole workers: the curve stands at 1, 2, 3 and 4.
  const std::size_t curve = page.find("class=\"curve\" d=\"M");
  REQUIRE(curve != std::string::npos);
  const std::string path = page.substr(curve, page.find('>', curve) - curve);
  CHECK(std::count(path.begin(), path.end(), 'L') == 3);
  CHECK_THAT(page, ContainsSubstring("with work = filters * kernel / workers"));
}

TEST_CASE_METHOD(ReportTest, "a sum of product terms has a table of its terms", "[cli][report]") {
  const SumRuns runs = sum_runs(120, 0.05, 1);
  FittedModel model = runs.truth;
  model.known.metrics.train = compute_metrics(runs.design.time, predict(model, runs.design));
  model.provenance = {"perfmodel", "sum.csv", 120, "", {}};
  write("sum.json", to_json(model));
  std::string csv = joined(runs.table.names(), ",") + "\n";
  for (std::size_t row = 0; row < runs.table.rows(); ++row) {
    std::vector<std::string> cells;
    for (const Column& column : runs.table.columns)
      cells.push_back(column.text(row));
    csv += joined(cells, ",") + "\n";
  }
  write("sum.csv", csv);
  const ProgramResult result = report({"sum.csv"}, "sum.json").succeeded();
  CHECK(result.errors.empty());
  check_report_page(result.output);
  const auto terms = texts_of(result.output, "code");
  CHECK(std::count(terms.begin(), terms.end(), "0.01 * filters^0.5 * gpus^0.5 * [gpus > 1]") == 1);
  CHECK_THAT(result.output, ContainsSubstring(">term 1: "));  // in the figure as in the table
  CHECK_THAT(result.output, !ContainsSubstring("0 generations"));
  CHECK(value_in_row(result.output, "these runs: sum.csv", 0) ==
        evaluated("sum.csv", "sum.json")["metrics"]["mae"].get<double>());

  // A scale that may lie between whole numbers: the curve jumps where the second term begins, above
  // 1, its first point.
  nlohmann::json between = nlohmann::json::parse(to_json(model));
  for (nlohmann::json& scale : between["constants"]["extrinsic"])
    if (scale["column"] == "gpus")
      scale["range"][1] = 8.5;
  write("between.json", between.dump());
  const std::string page = page_of({"sum.csv"}, "between.json");
  std::smatch points;
  REQUIRE(std::regex_search(
      page, points,
      std::regex(R"(class="curve" d="M([0-9.]+)[ ,]([0-9.]+) ?L([0-9.]+)[ ,]([0-9.]+))")));
  CHECK(points[1] == points[3]);
  CHECK(points[2] != points[4]);
}

TEST_CASE_METHOD(ReportTest, "a page of many runs is no larger than one of some thousand",
                 "[cli][report]") {
  write("many.csv", many_runs(60000));
  const std::string page = page_of({"many.csv"});
  CHECK(page.size() < 300000);
  CHECK_THAT(page, ContainsSubstring("60000 runs, counted in "));
}

TEST_CASE_METHOD(ReportTest,
                 "models without scales and levels have pages too, those without times none",
                 "[cli][report]") {
  nlohmann::json model = this->model();
  model["constants"]["extrinsic"] = nlohmann::json::array();
  model["constants"]["categorical"] = nlohmann::json::array();
  model["scaling_powers"] = nlohmann::json::object();
  model["expression"].erase("formula");
  write("plain.json", model.dump());
  write("plain.csv", "filters,time_s\n1,2\n");
  const std::string page = page_of({"plain.csv"}, "plain.json");
  CHECK_THAT(page, ContainsSubstring("The model has no scale."));

  model["constants"]["intrinsic"][0]["a"] = 0;
  model["constants"]["C"] = -1;
  write("negative.json", model.dump());
  CHECK_THAT(report({"plain.csv"}, "negative.json").failed(3),
             ContainsSubstring("plain.csv: no row can be judged"));
}

TEST_CASE_METHOD(ReportTest, "two models are compared on the same runs", "[cli][report]") {
  nlohmann::json worse = model();
  worse["constants"]["C"] = worse["constants"]["C"].get<double>() + 0.5;
  worse["expression"].erase("formula");
  write("worse.json", worse.dump());
  write("many.csv", many_runs(60));
  const auto mape = [&](const char* model) {
    return evaluated("many.csv", model)["metrics"]["mape_percent"].get<double>();
  };
  const std::string better = page_of({"model.json", "many.csv"}, "worse.json");
  CHECK(value_in_row(better, "old: worse.json", 0) == mape("worse.json"));
  CHECK(value_in_row(better, "new: model.json", 0) == mape("model.json"));
  CHECK_THAT(better,
             ContainsSubstring("class=\"big\">yes<") && ContainsSubstring(": not by chance"));
  CHECK_THAT(report({"worse.json", "many.csv"}).output,
             ContainsSubstring("class=\"big\">no, worse<"));
  CHECK_THAT(report({"model.json", "many.csv"}).output,
             ContainsSubstring("class=\"big\">no clear difference<"));
  CHECK(report({"model.json", "runs.csv"}, "-").exit_code == 2);
}

TEST_CASE_METHOD(ReportTest, "the page as Markdown has its answers and no markup of names",
                 "[cli][report]") {
  const ProgramResult result =
      report({"runs.csv", "--format", "md", "--title", "a|b <i>_x_"}).succeeded();
  CHECK(result.output.starts_with("### a\\|b \\<i\\>\\_x\\_\n"));
  CHECK(result.output ==
        report({"runs.csv", "--format", "markdown", "--title", "a|b <i>_x_"}).output);
  const std::string page = report().output;
  for (const std::string& figure : texts_of(page, "p"))
    if (figure.ends_with("% off"))
      CHECK_THAT(result.output, ContainsSubstring(figure));
  CHECK_THAT(result.output,
             ContainsSubstring("\n| workers | time \\[s\\] | speedup | efficiency |  |\n") &&
                 ContainsSubstring("\n| 2 | 4.5 | 1.972 | 98.6 % | shown |\n") &&
                 ContainsSubstring("\n| 4 | 5.5 s | 4.5 s | -18.2 % | "));
}

TEST_CASE_METHOD(ReportTest,
                 "an error that is large, or much larger than the noise, raises an alarm",
                 "[cli][report]") {
  write("slow.csv", "filters,activation,workers,time_s\n4,relu,2,8\n4,tanh,2,10\n");
  CHECK_THAT(report({"slow.csv"}).output,
             ContainsSubstring("card alarm") && ContainsSubstring("too much to plan with"));
  // 10 % off is little, but not of runs that differ by a thousandth.
  write("quiet.csv",
        "filters,activation,workers,time_s\n4,tanh,2,5\n4,tanh,2,5.005\n4,tanh,2,4.995\n");
  CHECK_THAT(report({"quiet.csv"}).output,
             ContainsSubstring("card alarm") &&
                 ContainsSubstring("more than 3 times the difference of repeated runs"));
}

TEST_CASE_METHOD(ReportTest, "a model with a process judges a sample of many runs and says so",
                 "[cli][report]") {
  write("few.csv", many_runs(24));
  write("many.csv", many_runs(20001));
  run({"fit", "few.csv", "--residual", "process", "--quiet", "-o", "process.json"}).succeeded();
  const std::string page = page_of({"many.csv"}, "process.json");
  CHECK_THAT(page, ContainsSubstring("runs of many.csv, a sample spread evenly over its 20001"));
  CHECK_THAT(page, ContainsSubstring(">residual correction"));
  CHECK(report({"few.csv"}, "process.json").output.find("a sample") == std::string::npos);
}
