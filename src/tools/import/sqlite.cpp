#include <fmt/core.h>
#ifdef PERFMODEL_HAS_SQLITE
#include <sqlite3.h>
#endif
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "import/readers.hpp"
#include "perfmodel/reading.hpp"

namespace perfmodel {

bool is_sqlite(std::string_view bytes) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  return bytes.starts_with(kMagic);
}

#ifdef PERFMODEL_HAS_SQLITE
namespace {

/// Permits what a SELECT needs: a query must not attach files, and databases may be made by others.
int permit_reading(void* /*data*/, int action, const char*, const char*, const char*, const char*) {
  const bool reads = action == SQLITE_SELECT || action == SQLITE_READ ||
                     action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
  return reads ? SQLITE_OK : SQLITE_DENY;
}

/// Called every so many steps of SQLite's machine; ends queries of views without end. These take
/// about ten seconds, and a row of ten columns some 30 steps.
constexpr int kStepsPerCall = 1'000'000;
constexpr int kMostCalls = 100;
int end_long_query(void* calls) {
  return ++*static_cast<int*>(calls) > kMostCalls ? 1 : 0;
}

/// A row of a result, valid until the next one.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  int columns() const { return sqlite3_column_count(statement_); }
  std::string name(int column) const { return sqlite3_column_name(statement_, column); }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }

  /// The value as a cell: NULL is blank, and numbers read back to the same double.
  std::string text(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_FLOAT)
      return to_text(sqlite3_column_double(statement_, column));
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    const int size = sqlite3_column_bytes(statement_, column);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
  }

 private:
  sqlite3_stmt* statement_;
};

/// A database in memory, which can only be read.
class Database {
 public:
  Database(std::string_view bytes, std::string source) : bytes_(bytes), source_(std::move(source)) {
    // SQLite would take what is missing of the last page for zeros.
    constexpr std::size_t kHeader = 100;
    const auto byte = [&](std::size_t place) {
      return std::size_t{static_cast<unsigned char>(bytes_[place])};
    };
    const std::size_t page = bytes_.size() < kHeader ? 0 : byte(16) << 8 | byte(17);
    if (page == 0 || bytes_.size() % (page == 1 ? 0x10000 : page) != 0)
      throw InputError(source_ + ": the database is cut off or damaged");
    bytes_[18] = bytes_[19] = 1;  // no write-ahead log, which would be another file
    sqlite3* database = nullptr;
    const int status = sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE, nullptr);
    database_.reset(database);
    if (status != SQLITE_OK)
      throw std::bad_alloc();
    const auto size = static_cast<sqlite3_int64>(bytes_.size());
    check(sqlite3_deserialize(database, "main", reinterpret_cast<unsigned char*>(bytes_.data()),
                              size, size, SQLITE_DESERIALIZE_READONLY));
    check(sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr));
    check(sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr));
    check(sqlite3_set_authorizer(database, permit_reading, nullptr));
    sqlite3_progress_handler(database, kStepsPerCall, end_long_query, &calls_);
  }

  const std::string& source() const { return source_; }

  /// Calls `visit` with each row of the result of a query. "?1" in it is `parameter`.
  void query(std::string_view sql, const std::function<void(const Row&)>& visit,
             std::int64_t parameter = 0) {
    const Statement statement = prepared(sql).first;
    if (sqlite3_bind_parameter_count(statement.get()) > 0)
      check(sqlite3_bind_int64(statement.get(), 1, parameter));
    int status = SQLITE_OK;
    while ((status = sqlite3_step(statement.get())) == SQLITE_ROW)
      visit(Row(statement.get()));
    if (status != SQLITE_DONE)
      check(status);
  }

  /// Throws UsageError unless a text of the user is one SELECT.
  void check_query(std::string_view sql) {
    try {
      const auto [statement, rest] = prepared(sql);
      if (sqlite3_column_count(statement.get()) == 0 || prepared(rest).first)
        throw InputError("expected one SELECT");
    } catch (const InputError& error) {
      throw UsageError(fmt::format("--sql: {}", std::string(error.what())));
    }
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  std::string bytes_;
  std::string source_;
  int calls_ = 0;                             ///< of end_long_query()
  std::unique_ptr<sqlite3, Close> database_;  ///< uses the bytes

  void check(int status) const {
    if (status == SQLITE_NOMEM)
      throw std::bad_alloc();
    if (status == SQLITE_INTERRUPT)
      throw InputError(fmt::format(
          "{}: the query was ended after {} million steps: it has too many rows, or a view has no "
          "end; write what is needed as CSV with sqlite3",
          source_, kMostCalls));
    if (status != SQLITE_OK)
      throw InputError(source_ + ": SQLite: " + sqlite3_errmsg(database_.get()));
  }

  /// The first statement of a text, null if there is none, and the rest of the text.
  std::pair<Statement, std::string_view> prepared(std::string_view sql) const {
    sqlite3_stmt* statement = nullptr;
    const char* end = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                             &end));
    return {Statement(statement), sql.substr(static_cast<std::size_t>(end - sql.data()))};
  }
};

/// How the runs of a tool are found in its database.
struct Tool {
  std::string_view name;
  std::string_view table;   ///< that its databases have
  std::string_view noun;    ///< for what groups runs
  std::string_view groups;  ///< query of the groups that have runs: id, name
  /// Query of all values of the runs of group ?1, run by run: run, kind, place within the kind,
  /// name, value. From kind 2 on they are results.
  std::string_view values;
};

constexpr std::int64_t kFirstResult = 2;

// Choices of a categorical parameter are numbered. Truth values and null of JSON become words,
// which SQLite would write as 1, 0 and NULL.
constexpr Tool kOptuna{
    "Optuna", "study_directions", "study",
    "select study_id, study_name from studies where study_id in (select study_id from trials) "
    "order by study_name",
    R"(
with
  t as (select * from trials where study_id = ?1 and state in ('COMPLETE', 'FAIL', 'PRUNED')),
  d as (select objective from study_directions where study_id = ?1),
  j as (
    select trial_id, 0 as kind, param_id as place, param_name as name, distribution_json as json,
      '$.attributes.choices[' || max(cast(param_value as integer), 0) || ']' as path,
      param_value as plain
      from trial_params
    union all
    select trial_id, 1, trial_user_attribute_id, key, value_json, '$', null
      from trial_user_attributes)
select trial_id, kind, place, name,
    case json_type(json, path)
      when 'true' then 'true' when 'false' then 'false' when 'null' then 'None'
      else coalesce(json_extract(json, path), plain) end
  from j join t using (trial_id)
  where kind = 0 or json_type(json) not in ('array', 'object', 'null')
union all
select t.trial_id, 2, objective,
    case when (select count(*) from d) = 1 then 'value' else 'value_' || objective end,
    case state when 'COMPLETE' then
        (select coalesce(value, 'inf') from trial_values v
          where v.trial_id = t.trial_id and v.objective = d.objective)
      else lower(state) end
  from t, d
union all
select trial_id, 3, 0, 'duration_s',
    case state when 'COMPLETE' then
        round(strftime('%s', datetime_complete) - strftime('%s', datetime_start)
          + substr(datetime_complete, 20) - substr(datetime_start, 20), 6)
      else lower(state) end
  from t
order by 1, 2, 3)"};

// MLflow marks metrics that are not a number, and writes the largest number for infinity.
constexpr Tool kMlflow{
    "MLflow", "latest_metrics", "experiment",
    "select experiment_id, name from experiments where experiment_id in (select experiment_id "
    "from runs where lifecycle_stage is not 'deleted') order by name",
    R"(
with
  t as (
    select *, row_number() over (order by start_time, run_uuid) as run from runs
      where experiment_id = ?1 and lifecycle_stage is not 'deleted'
        and status in ('FINISHED', 'FAILED', 'KILLED')),
  k as (select distinct key from latest_metrics join t using (run_uuid))
select run, 0, key, key, value from params join t using (run_uuid)
union all
select run, 1, key, key, value from tags join t using (run_uuid) where key not like 'mlflow.%'
union all
select run, 2, k.key, k.key,
    case when status <> 'FINISHED' then lower(status)
      else (select case when is_nan or abs(value) > 1.7e308 then 'nan' else value end
        from latest_metrics m where m.run_uuid = t.run_uuid and m.key = k.key) end
  from t, k
union all
select run, 3, '', 'duration_s',
    case when status <> 'FINISHED' then lower(status) else (end_time - start_time) / 1000.0 end
  from t
order by 1, 2, 3)"};

/// The groups of runs of a tool, by name.
using Groups = std::map<std::string, std::int64_t>;

std::vector<std::string> names_of(const Groups& groups) {
  return mapped(
      groups, [](const auto& group) { return group.first; });
}

/// The id of the only group of runs.
std::int64_t only_group(const Database& database, const Tool& tool, const Groups& groups) {
  if (groups.size() == 1)
    return groups.begin()->second;
  if (groups.empty())
    throw InputError(
        fmt::format("{}: no {} of {} has runs", database.source(), tool.noun, tool.name));
  throw UsageError(fmt::format("{}: {} has runs of {}; pass one, as in --table {}",
                               database.source(), tool.name, quoted_list(names_of(groups)),
                               shell_word(groups.begin()->first)));
}

/// A row per run of a group.
NamedRows rows_of_group(Database& database, const Tool& tool, std::int64_t group) {
  NamedRows out;
  std::vector<NamedRows::Cell> cells;
  std::int64_t run = -1;
  std::map<std::string, std::int64_t> kind_of;  // of names
  const auto end_run = [&] {
    if (!cells.empty())
      out.add(std::exchange(cells, {}));
  };
  const auto read = [&](const Row& row) {
    if (row.integer(0) != run)
      end_run();
    run = row.integer(0);
    const std::int64_t kind = row.integer(1);
    std::string name = row.text(3);
    while (kind_of.try_emplace(name, kind).first->second != kind)
      name += '_';  // a parameter, or an attribute, has the name of a result
    if (kind >= kFirstResult)
      out.add_result(name);
    cells.emplace_back(std::move(name), row.text(4));
  };
  database.query(tool.values, read, group);
  end_run();
  return out;
}

NamedRows rows_of_query(Database& database, const std::string& sql) {
  database.check_query(sql);
  NamedRows out;
  const auto read = [&](const Row& row) {
    std::map<std::string, std::string> named;
    std::vector<NamedRows::Cell> cells;
    for (int i = 0; i < row.columns(); ++i) {
      cells.emplace_back(row.name(i), row.text(i));
      if (!named.emplace(cells.back()).second)
        throw UsageError(fmt::format(
            "--sql: two columns of the result are named '{}'; rename one by AS", row.name(i)));
    }
    out.add(cells);
  };
  database.query(sql, read);
  return out;
}

/// A name as SQL has it.
std::string quoted_name(std::string name) {
  for (auto quote = name.find('"'); quote != name.npos; quote = name.find('"', quote + 2))
    name.insert(quote, 1, '"');
  return '"' + name + '"';
}

/// Throws InputError if a part of the database stands in a file beside it.
void check_beside(const std::string& source) {
  for (const char* suffix : {"-wal", "-journal"}) {
    std::ifstream file(source + suffix, std::ios::binary);
    if (const int first = file.get(); first > 0)  // SQLite overwrites what is done by zeros
      throw InputError(fmt::format(
          "{}: changes of an unfinished or running program are still in {}{}; end it, then let "
          "SQLite take them in: sqlite3 FILE 'pragma wal_checkpoint(truncate)'",
          source, source, suffix));
  }
}

}  // namespace

NamedRows read_sqlite(std::string_view bytes, const std::string& source,
                      const InputOptions& options) {
  check_beside(source);
  Database database(bytes, source);
  if (!options.sql.empty())
    return rows_of_query(database, options.sql);
  std::vector<std::string> tables;
  database.query(
      "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' "
      "order by name",
      [&](const Row& row) { tables.push_back(row.text(0)); });
  std::vector<std::string> known;
  for (const Tool& tool : {kOptuna, kMlflow}) {
    if (!contains(tables, tool.table))
      continue;
    Groups groups;
    database.query(tool.groups, [&](const Row& row) { groups[row.text(1)] = row.integer(0); });
    if (options.table.empty())
      return rows_of_group(database, tool, only_group(database, tool, groups));
    if (const auto found = groups.find(options.table); found != groups.end())
      return rows_of_group(database, tool, found->second);
    for (const std::string& name : names_of(groups))
      known.push_back(name);
  }
  if (contains(tables, options.table))
    return rows_of_query(database, "select * from " + quoted_name(options.table));
  known.insert(known.end(), tables.begin(), tables.end());
  if (!options.table.empty())
    throw UsageError(
        fmt::format("--table: '{}' is no study or experiment with runs, table or view of {}{}",
                    options.table, source, did_you_mean_one_of(options.table, known)));
  throw InputError(
      fmt::format("{} is an SQLite database of neither Optuna (2.4 or later) nor MLflow; pass {}, "
                  "or a query by --sql. It has {}",
                  source, "--table " + shell_word(tables.empty() ? "NAME" : tables.front()),
                  tables.empty() ? "no tables" : "the tables " + quoted_list(tables)));
}

#else

NamedRows read_sqlite(std::string_view /*bytes*/, const std::string& source,
                      const InputOptions& /*options*/) {
  throw InputError(source +
                   " is an SQLite database, and this program was built without SQLite; write a "
                   "query as CSV: sqlite3 -header -csv FILE 'select ...' > runs.csv");
}

#endif

}  // namespace perfmodel
