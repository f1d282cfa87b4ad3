#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "import/readers.hpp"
#include "sources/source.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/program.hpp"
#include "support/shell.hpp"
#include "support/temporary_directory.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Contains;
using test::run_perfmodel;

/// The tables of Optuna's schema 12 that hold studies and trials.
const std::string kOptunaTables = R"(
create table studies (study_id integer primary key, study_name varchar(512) not null unique);
create table version_info (version_info_id integer primary key, schema_version integer,
  library_version varchar(256));
create table study_directions (study_direction_id integer primary key,
  direction varchar(8) not null, study_id integer not null, objective integer not null);
create table trials (trial_id integer primary key, number integer, study_id integer,
  state varchar(8) not null, datetime_start datetime, datetime_complete datetime);
create table trial_user_attributes (trial_user_attribute_id integer primary key, trial_id integer,
  "key" varchar(512), value_json text);
create table trial_params (param_id integer primary key, trial_id integer,
  param_name varchar(512), param_value float, distribution_json text);
create table trial_values (trial_value_id integer primary key, trial_id integer not null,
  objective integer not null, value float, value_type varchar(7) not null);
insert into version_info values (1, 12, '3.6.0');
)";

/// A study of one objective: a complete, a failed, a pruned, a running and an infinite trial.
const std::string kStudy = kOptunaTables + R"(
insert into studies values (1, 'empty'), (2, 'net');
insert into study_directions values (1, 'MINIMIZE', 1, 0), (2, 'MINIMIZE', 2, 0);
insert into trials values
  (1, 0, 2, 'COMPLETE', '2026-03-01 23:59:59.250000', '2026-03-02 00:00:09.000500'),
  (2, 1, 2, 'FAIL', '2026-03-02 00:00:00.000000', '2026-03-02 00:00:01.000000'),
  (3, 2, 2, 'RUNNING', '2026-03-02 00:00:00.000000', null),
  (4, 3, 2, 'PRUNED', '2026-03-02 00:00:00.000000', '2026-03-02 00:00:01.000000'),
  (5, 4, 2, 'COMPLETE', '2026-03-02 00:00:00', '2026-03-02 00:00:01');
insert into trial_params (trial_id, param_name, param_value, distribution_json)
  select trial_id, 'lr', 0.001 * trial_id, '{"name": "FloatDistribution", "attributes":
    {"step": null, "low": 1e-05, "high": 0.1, "log": true}}' from trials;
insert into trial_params (trial_id, param_name, param_value, distribution_json)
  select trial_id, 'layers', trial_id - 3.0, '{"name": "IntDistribution", "attributes":
    {"log": false, "step": 1, "low": -9, "high": 9}}' from trials;
insert into trial_params (trial_id, param_name, param_value, distribution_json)
  select trial_id, 'opt', trial_id - 1.0, '{"name": "CategoricalDistribution", "attributes":
    {"choices": ["adam, \"w\"", 16, true, null, 0.5]}}' from trials;
insert into trial_user_attributes (trial_id, "key", value_json) values
  (1, 'gpu', '"A100"'), (1, 'warm', 'false'), (1, 'history', '[1, 2]'), (5, 'value', '7');
insert into trial_values (trial_id, objective, value, value_type) values
  (1, 0, 0.1, 'FINITE'), (5, 0, null, 'INF_POS');
)";

const std::string kStudyRows =
    "lr,layers,opt,gpu,warm,value,duration_s,value_\n"
    "0.001,-2,\"adam, \"\"w\"\"\",A100,false,0.1,9.7505,\n"
    "0.002,-1,16,,,fail,fail,\n"
    "0.004,1,None,,,pruned,pruned,\n"
    "0.005,2,0.5,,,inf,1,7\n";

const std::string kMlflowTables = R"(
create table experiments (experiment_id integer primary key, name varchar(256) not null unique,
  artifact_location varchar(256), lifecycle_stage varchar(32));
create table runs (run_uuid varchar(32) primary key, name varchar(250), status varchar(9),
  start_time bigint, end_time bigint, lifecycle_stage varchar(20), experiment_id integer);
create table latest_metrics (key varchar(250) not null, value float not null, timestamp bigint,
  step bigint not null, is_nan boolean not null, run_uuid varchar(32) not null);
create table params (key varchar(250) not null, value varchar(8000) not null,
  run_uuid varchar(32) not null);
create table tags (key varchar(250) not null, value varchar(5000), run_uuid varchar(32) not null);
insert into experiments values (0, 'Default', '', 'active'), (1, 'resnet', '', 'active');
)";

const std::string kExperiment = kMlflowTables + R"(
insert into runs values
  ('b', 'first', 'FINISHED', 1000, 3500, 'active', 1),
  ('a', 'second', 'FINISHED', 2000, 2500, 'active', 1),
  ('c', 'third', 'FAILED', 3000, 3100, 'active', 1),
  ('d', 'fourth', 'RUNNING', 4000, null, 'active', 1),
  ('e', 'fifth', 'FINISHED', 5000, 6000, 'deleted', 1);
insert into params values ('batch', '32', 'b'), ('batch', '64', 'a'), ('batch', '8', 'c'),
  ('opt', 'sgd', 'a'), ('batch', '1', 'd'), ('batch', '2', 'e');
insert into tags values ('mlflow.user', 'me', 'b'), ('node', 'n1', 'b');
insert into latest_metrics values ('step_time', 0.25, 0, 9, 0, 'b'), ('loss', 0, 0, 9, 1, 'b'),
  ('step_time', 0.5, 0, 9, 0, 'a'), ('step_time', 0.1, 0, 9, 0, 'c');
)";

const std::string kExperimentRows =
    "batch,node,loss,step_time,duration_s,opt\n"
    "32,n1,nan,0.25,2.5,\n"
    "64,,,0.5,0.5,sgd\n"
    "8,,failed,failed,failed,\n";

/// A database that a script of SQL makes.
class DatabaseFile {
 public:
  explicit DatabaseFile(const std::string& sql) {
    const std::string script = directory_.write("script.sql", sql);
    REQUIRE(test::succeeds(
        "python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript("
        "open(sys.argv[2]).read()).connection.close()' '" +
        path() + "' '" + script + "'"));
  }

  std::string path() const { return directory_.file("runs.db"); }
  std::string file(const std::string& name) const { return directory_.file(name); }
  std::string bytes() const { return test::read_text(path()); }
  std::string csv(const InputOptions& options = {}) const {
    return read_sqlite(bytes(), "runs.db", options).csv();
  }

 private:
  test::TemporaryDirectory directory_;
};

InputOptions query(const std::string& sql) {
  InputOptions options;
  options.sql = sql;
  return options;
}

/// The text of the error that reading a database throws.
std::string error_of(const DatabaseFile& file, const InputOptions& options = {}) {
  return test::message_of([&] { file.csv(options); });
}

TEST_CASE("the trials of an Optuna study are rows", "[sqlite][needs-sqlite]") {
  const DatabaseFile file(kStudy);
  CHECK(file.csv() == kStudyRows);
  CHECK(read_sqlite(file.bytes(), "runs.db", {}).results() ==
        std::vector<std::string>{"value", "duration_s"});
  InputOptions options;
  options.table = "net";
  CHECK(file.csv(options) == kStudyRows);
}

TEST_CASE("the values of several objectives are numbered", "[sqlite][needs-sqlite]") {
  const DatabaseFile file(kOptunaTables + R"(
insert into studies values (1, 'two');
insert into study_directions values (1, 'MINIMIZE', 1, 0), (2, 'MAXIMIZE', 1, 1);
insert into trials values (7, 0, 1, 'COMPLETE', null, null);
insert into trial_params values (1, 7, 'x', 4, '{"name": "IntDistribution", "attributes": {}}');
insert into trial_values values (1, 7, 1, 0.75, 'FINITE'), (2, 7, 0, 1e-9, 'FINITE');
)");
  CHECK(file.csv() == "x,value_0,value_1,duration_s\n4,1e-09,0.75,\n");
}

TEST_CASE("the runs of an MLflow experiment are rows, without deleted and running ones",
          "[sqlite][needs-sqlite]") {
  const DatabaseFile file(kExperiment);
  CHECK(file.csv() == kExperimentRows);
  CHECK(read_sqlite(file.bytes(), "runs.db", {}).results() ==
        std::vector<std::string>{"loss", "step_time", "duration_s"});
}

TEST_CASE("one of several studies or experiments is to be chosen", "[sqlite][needs-sqlite]") {
  const DatabaseFile studies(kStudy + R"(
insert into studies values (3, 'other net');
insert into study_directions values (3, 'MINIMIZE', 3, 0);
insert into trials values (9, 0, 3, 'COMPLETE', '2026-03-01 00:00:00', '2026-03-01 00:01:00');
insert into trial_values values (9, 9, 0, 3.5, 'FINITE');
)");
  const std::string unnamed = run_perfmodel({"import", studies.path()}).failed(2);
  CHECK_THAT(unnamed, Contains("Optuna has runs of 'net' and 'other net'"));
  CHECK_THAT(unnamed, Contains("--table net"));
  CHECK_THAT(run_perfmodel({"import", studies.path(), "--table", "othernet"}).failed(2),
             Contains("did you mean 'other net'?"));
  const auto named = run_perfmodel({"import", studies.path(), "--table", "other net", "--quiet"});
  CHECK(named.output == "value,duration_s\n3.5,60\n");
  CHECK_THAT(run_perfmodel({"import", studies.path(), "--table", "xyz"}).failed(2),
             Contains("--table: 'xyz' is no study or experiment with runs, table or view of"));
  CHECK_THAT(run_perfmodel({"import", studies.path(), "--table", "studies"}).succeeded().output,
             Contains("study_id,study_name\n"));

  const DatabaseFile experiments(kExperiment + R"(
insert into runs values ('x', 'sixth', 'FINISHED', 1000, 2000, 'active', 0);
insert into params values ('batch', '4', 'x');
)");
  CHECK_THAT(error_of(experiments), Contains("'Default' and 'resnet'"));
  InputOptions options;
  options.table = "Default";
  CHECK(experiments.csv(options) == "batch,duration_s\n4,1\n");
  CHECK_THAT(error_of(DatabaseFile(kMlflowTables)), Contains("no experiment of MLflow has runs"));
}

TEST_CASE("a query gives the rows of any database", "[sqlite][needs-sqlite]") {
  const DatabaseFile file(R"(
create table runs (gpus integer, batch integer, note text, step_s float);
insert into runs values (1, 32, 'a,"b"', 0.1), (2, 32, null, 1e-320), (4, 64, 'x', 2e22);
create view fast as select * from runs where step_s < 1;
)");
  CHECK(file.csv(query("select gpus, note, step_s as \"time, s\" from runs order by 1")) ==
        "gpus,note,\"time, s\"\n1,\"a,\"\"b\"\"\",0.1\n2,,1e-320\n4,x,2e+22\n");
  CHECK(file.csv(query("with f as (select * from fast) select count(*) as n from f;  ")) ==
        "n\n2\n");
  CHECK_THAT(error_of(file), Contains("neither Optuna"));
  CHECK_THAT(error_of(file), Contains("the tables 'fast' and 'runs'"));
  CHECK_THAT(run_perfmodel({"import", file.path()}).errors,
             Contains("pass --table fast, or a query"));
  CHECK(run_perfmodel({"import", file.path(), "--table", "fast", "--quiet"}).output ==
        file.csv(query("select * from fast")));
  const auto imported =
      run_perfmodel({"import", file.path(), "--sql", "select gpus, step_s from fast", "--quiet"});
  CHECK(imported.output == "gpus,step_s\n1,0.1\n2,1e-320\n");
}

TEST_CASE("a view without end is ended with a message", "[sqlite][needs-sqlite]") {
  const DatabaseFile file(
      "create view counts as with recursive c(n) as (select 1 union all select n + 1 from c) "
      "select n from c;");
  for (const std::string sql : {"select n from counts", "select count(*) as n from counts"}) {
    const auto ended = run_perfmodel({"import", file.path(), "--sql", sql});
    CHECK(ended.exit_code == 3);
    CHECK_THAT(ended.errors, Contains("the query was ended after 100 million steps"));
  }
}

TEST_CASE("a run of a query can be what others are like", "[sqlite][needs-sqlite]") {
  const DatabaseFile file(
      "create table runs (gpus integer, batch integer, step_s float); insert into runs values"
      "(1, 32, 8), (2, 32, 5), (4, 32, 3), (1, 64, 17), (2, 64, 11), (4, 64, 6);");
  const std::string sql = "select * from runs";
  const std::string model = file.file("model.json");
  run_perfmodel({"fit", file.path(), "--sql", sql, "-o", model}).succeeded();
  CHECK(run_perfmodel({"predict", model, "--like", file.path() + ":6", "--sql", sql})
            .succeeded()
            .output == run_perfmodel({"predict", model, "--set", "gpus=2", "batch=64"}).output);
}

TEST_CASE("further runs are of the table of the fit, also as older models name it",
          "[sqlite][needs-sqlite]") {
  const DatabaseFile file(
      "create table notes (a integer); create table runs (gpus integer, step_s float); insert into "
      "runs values (1, 8), (2, 5), (4, 3), (8, 2.5), (16, 2);");
  const std::string model = file.file("model.json");
  run_perfmodel({"fit", file.path(), "--table", "runs", "-o", model}).succeeded();
  const std::string judged = run_perfmodel({"evaluate", model, file.path()}).succeeded().output;
  const std::string text = test::read_text(model);
  const std::string field = "\"table\": \"runs\"";
  REQUIRE_THAT(text, Contains(field));
  for (const std::string name : {"study", "experiment"}) {
    std::string older = text;
    older.replace(older.find(field), field.size(), "\"" + name + "\": \"runs\"");
    std::ofstream(model) << older;
    CHECK(run_perfmodel({"evaluate", model, file.path()}).succeeded().output == judged);
  }
}

TEST_CASE("a query that is wrong or no SELECT is refused", "[sqlite][needs-sqlite]") {
  const DatabaseFile file(
      "create table runs (a integer, b integer); insert into runs values (1, 2);");
  const std::string other = file.file("other.db");
  for (const std::string& sql :
       {std::string("delete from runs"), std::string("select 1; select 2"), std::string(" "),
        "attach '" + other + "' as x", "vacuum into '" + other + "'",
        std::string("pragma table_info(runs)"), std::string("create table x (y)"),
        std::string("insert into runs values (3, 4) returning a"), std::string("-- nothing")}) {
    const auto run = run_perfmodel({"import", file.path(), "--sql", sql});
    INFO(sql << run.errors);
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.errors, Contains("--sql"));
  }
  CHECK_FALSE(std::filesystem::exists(other));
  CHECK_THAT(run_perfmodel({"import", file.path(), "--sql", "select * from runs", "--table", "s"})
                 .failed(2),
             Contains("--sql") && Contains("--table"));
  CHECK_THAT(error_of(file, query("select c from runs")), Contains("no such column: c"));
  CHECK_THAT(error_of(file, query("select a from run")), Contains("no such table: run"));
  CHECK_THAT(error_of(file, query("select a, b as a from runs")),
             Contains("two columns of the result are named 'a'"));
  CHECK(
      run_perfmodel({"import", file.path(), "--sql", "select * from runs where a > 1"}).exit_code ==
      3);
}

TEST_CASE("changes beside a database are not ignored", "[sqlite][needs-sqlite]") {
  const DatabaseFile file(kExperiment + "pragma journal_mode = wal;");
  CHECK(file.bytes()[18] == 2);
  CHECK(run_perfmodel({"import", file.path(), "--quiet"}).output ==
        run_perfmodel({"import", "-", "--quiet"},
                      {.input = file.bytes(), .environment = {}, .output_descriptor = {}})
            .output);
  for (const char* suffix : {"-wal", "-journal"}) {
    const std::string beside = file.path() + suffix;
    REQUIRE(test::succeeds("printf '\\0' > '" + beside + "'"));  // done
    CHECK(run_perfmodel({"import", file.path()}).exit_code == 0);
    REQUIRE(test::succeeds("printf '\\067' > '" + beside + "'"));
    CHECK_THAT(run_perfmodel({"import", file.path()}).failed(3), Contains(suffix));
    REQUIRE(test::succeeds("rm '" + beside + "'"));
  }
}

TEST_CASE("damaged databases are refused with a message", "[sqlite][needs-sqlite]") {
  const std::string bytes = DatabaseFile(kStudy).bytes();
  const auto read = [](const std::string& damaged) {
    std::string csv;
    const std::string refusal =
        test::message_of([&] { csv = read_sqlite(damaged, "runs.db", {}).csv(); });
    return refusal == "(none)" ? csv : refusal;
  };
  CHECK(read(bytes) == kStudyRows);
  for (std::size_t size = 16; size < bytes.size(); size += size < 200 ? 1 : 211)
    CHECK_THAT(read(bytes.substr(0, size)), Contains("runs.db"));
  for (std::size_t at = 16; at < bytes.size(); at += 37) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    CHECK(!read(damaged).empty());
  }
}

TEST_CASE("fit takes the only study, its objective, and leaves failed trials out on request",
          "[sqlite][program][needs-sqlite]") {
  std::string sql = kOptunaTables +
                    "insert into studies values (1, 'net');"
                    "insert into study_directions values (1, 'MINIMIZE', 1, 0);";
  for (int i = 0; i < 24; ++i) {
    const int batch = 8 << (i % 6);
    const std::string id = std::to_string(i + 1);
    const bool failed = i == 10;
    sql += "insert into trials values (" + id + ", " + std::to_string(i) + ", 1, '" +
           (failed    ? "FAIL"
            : i == 11 ? "PRUNED"
                      : "COMPLETE") +
           "', '2026-03-01 00:00:00.000000', '2026-03-01 00:00:0" + std::to_string(i % 9 + 1) +
           ".000000'); insert into trial_params values (" + id + ", " + id + ", 'batch', " +
           std::to_string(batch) + ", '{\"name\": \"IntDistribution\", \"attributes\": {}}');";
    if (!failed && i != 11)
      sql += "insert into trial_values values (" + id + ", " + id + ", 0, " +
             std::to_string(0.5 * batch) + ", 'FINITE');";
  }
  const DatabaseFile file(sql);
  const std::string model = file.file("model.json");
  CHECK_THAT(
      run_perfmodel({"fit", file.path(), "--target", "value", "--failed", "refuse", "-o", model})
          .failed(3),
      Contains("--failed drop"));
  const auto fitted =
      run_perfmodel({"fit", file.path(), "--target", "value", "--failed", "drop", "-o", model})
          .succeeded();
  CHECK_THAT(fitted.errors, Contains("2 of 24 runs failed"));
  CHECK_THAT(fitted.errors,
             Contains("Column 'duration_s' is another result of the runs and is left out"));
  const auto predicted = run_perfmodel({"predict", model, "--set", "batch=100", "--quiet"});
  CHECK(std::stod(predicted.output) == Approx(50).epsilon(0.01));

  REQUIRE(test::succeeds("gzip -k '" + file.path() + "'"));
  CHECK(run_perfmodel({"import", file.path() + ".gz", "--quiet"}).output ==
        run_perfmodel({"import", file.path(), "--quiet"}).output);
}

}  // namespace
}  // namespace perfmodel
