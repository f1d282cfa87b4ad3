#include "cli/options/role_options.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/reading_options.hpp"

namespace perfmodel::cli {
namespace {

/// "A,B"; the option may also be repeated.
void add_columns(OptionSet& app, const std::string& name, const std::string& description,
                 const std::function<std::vector<std::string>&()>& variable) {
  const auto append = [name, variable](const std::string& text) {
    auto& columns = variable();
    for (auto& column : split_list(text)) {
      if (column.empty())
        throw OptionError(name, "'" + text + "' has an empty column name");
      columns.push_back(std::move(column));
    }
  };
  app.add_option_function(name, append, description)
      .type_name("A,B")
      .trigger_on_parse()
      .group("Columns")
      .take_last();
}

Throughput& throughput_of(RoleRequest& request) {
  return request.throughput ? *request.throughput : request.throughput.emplace();
}

}  // namespace

void add_role_options(OptionSet& app, RoleRequest& request, std::optional<char>& separator) {
  app.add_option("--target", request.target, "the measured time (default: inferred from the name)")
      .type_name("COL")
      .group("Columns");
  app.add_option_function(
         "--throughput-target",
         [&](const std::string& text) {
           if (text.empty())
             throw OptionError("--throughput-target", "it is empty");
           throughput_of(request).column = text;
         },
         "a measured throughput in place of the time, which is\n"
         "1 / throughput: of one sample, step, ...")
      .type_name("COL")
      .group("Columns");
  app.add_option_function(
         "--work",
         [&](const std::string& text) {
           if (text.empty())
             throw OptionError("--work", "it is empty");
           throughput_of(request).work = text;
         },
         "with it: what an iteration works on, such as batch_size\n"
         "or 'local_batch * gpus'; the time is work / throughput")
      .type_name("FORMULA")
      .group("Columns");
  add_columns(
      app, "--extrinsic", "columns of scale: workers, batch size (default: inferred)",
      [&]() -> std::vector<std::string>& {
        return request.extrinsic ? *request.extrinsic : request.extrinsic.emplace();
      });
  add_columns(
      app, "--intrinsic", "columns of the model; none: scales alone\n(default: all others)",
      [&]() -> std::vector<std::string>& {
        return request.intrinsic ? *request.intrinsic : request.intrinsic.emplace();
      });
  add_columns(
      app, "--categorical", "numeric columns to treat as levels",
      [&]() -> std::vector<std::string>& { return request.categorical; });
  add_columns(
      app, "--ignore", "columns to leave out",
      [&]() -> std::vector<std::string>& { return request.ignore; });
  app.add_option_function(
         "--derive",
         [&](const std::string& text) { request.derived.push_back(parse_derived(text)); },
         "a column computed from others, such as\n"
         "'flops = filters * kernel_size^2' (repeatable)")
      .type_name("NAME=FORMULA")
      .trigger_on_parse()
      .group("Columns");
  app.add_option_function(
         "--time-unit",
         [&](const std::string& text) {
           if (!is_utf8(text)) {
             throw OptionError("--time-unit", "'" + text + "' is not UTF-8");
           }
           request.time_unit = text;
         },
         "label of the unit of the target, never a conversion\n"
         "(default: read from a name that ends in _s, _ms, _us)")
      .type_name("UNIT")
      .group("Columns");
  add_separator(app, separator);
  add_failed(app, request.drop_failed);
}

}  // namespace perfmodel::cli
