// What else is claimed of databases is in tests/transcripts/sqlite.md.
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
  std::string bytes() const { return test::read_text(path()); }

 private:
  test::TemporaryDirectory directory_;
};

TEST_CASE("a view without end is ended with a message", "[sqlite][needs-sqlite]") {
  const DatabaseFile file(
      "create view counts as with recursive c(n) as (select 1 union all select n + 1 from c) "
      "select n from c;");
  for (const std::string sql : {"select n from counts", "select count(*) as n from counts"})
    CHECK_THAT(run_perfmodel({"import", file.path(), "--sql", sql}).failed(3),
               Contains("the query was ended after 100 million steps"));
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
  CHECK(read_sqlite(bytes, "runs.db", {}).results() ==
        std::vector<std::string>{"value", "duration_s"});
  for (std::size_t size = 16; size < bytes.size(); size += size < 200 ? 1 : 211)
    CHECK_THAT(read(bytes.substr(0, size)), Contains("runs.db"));
  for (std::size_t at = 16; at < bytes.size(); at += 37) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    CHECK(!read(damaged).empty());
  }
}

}  // namespace
}  // namespace perfmodel
