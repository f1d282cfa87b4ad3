#pragma once

#include <string>
#include <vector>

#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

inline Json failed_to_json(const std::vector<FailedRuns>& failed) {
  Json out = Json::array();
  for (const FailedRuns& runs : failed) {
    out.push_back(
        {{"file", runs.file}, {"cell", runs.cell}, {"rows", runs.rows}, {"lines", runs.lines}});
  }
  return out;
}

/// The files of a result: {"file", "rows", "sha256"}, of several each beside their whole, and the
/// runs that failed and are left out.
inline Json data_to_json(const Provenance& data) {
  Json out = {{"file", data.file}, {"rows", data.rows}, {"sha256", data.sha256}};
  for (const DataFile& file : data.files)
    out["files"].push_back({{"file", file.file}, {"rows", file.rows}, {"sha256", file.sha256}});
  if (!data.failed.empty())
    out["failed"] = failed_to_json(data.failed);
  return out;
}

inline void read_data(const JsonCursor& data, Provenance& out) {
  out.file = data.member("file").text();
  out.rows = data.member("rows").count();
  out.sha256 = data.member("sha256").text();
  if (const auto files = data.optional_member("files")) {
    for (const JsonCursor& file : files->items())
      out.files.push_back(
          {file.member("file").text(), file.member("rows").count(), file.member("sha256").text()});
  }
  if (const auto failed = data.optional_member("failed")) {
    for (const JsonCursor& runs : failed->items()) {
      FailedRuns& item = out.failed.emplace_back();
      item.file = runs.member("file").text();
      item.cell = runs.member("cell").text();
      item.rows = runs.member("rows").count();
      for (const JsonCursor& line : runs.member("lines").items())
        item.lines.push_back(static_cast<std::uint32_t>(line.count()));
    }
  }
}

}  // namespace perfmodel
