#include "many/group_fits.hpp"

#include "storage/files.hpp"
#include "support/catch.hpp"
#include "support/rows.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Rows of groups one after the other: texts that come in another order in each, a cell that is no
/// number, a quoted key with a comma, a blank line, CRLF, and no end of the last line.
const std::string kStanding =
    "kernel,net,gpus,time_s\r\n"
    "\"a,b\",vgg,1,3\r\n\"a,b\",res,2,2\r\n\r\n"
    "1.0,res,1,4\r\n1.0,vgg,OOM,5\r\n1.0,net,4,6\r\n"
    "1,vgg,1,7\r\n1,res,2,8";

std::string rows_as_text(const Table& table) {
  std::string out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    out += std::to_string(table.lines[row]) + ":";
    for (const Column& column : table.columns)
      out += " " + column.name + "=" + (column.is_numeric() ? "" : "'") + column.text(row);
    out += "\n";
  }
  for (const Column& column : table.columns)
    for (const BadCell& cell : column.bad_cells)
      out += column.name + " " + std::to_string(cell.row) + " " + cell.text + "\n";
  return out;
}

}  // namespace

TEST_CASE("groups that stand one after the other are read on their own as in the whole",
          "[pipeline][many]") {
  test::TemporaryDirectory directory;
  directory.write("runs.csv", kStanding);
  const std::string path = directory.file("runs.csv");
  const auto index = GroupIndex::of(path, {"kernel"}, {"kernel"}, {});
  REQUIRE(index);
  REQUIRE(index->groups() == 3);
  CHECK(index->key(0) == std::vector<std::string>{"a,b"});
  CHECK(index->digest() == sha256(kStanding));
  const RunsFile whole = read_runs(path, {"kernel"});
  for (std::size_t group = 0, row = 0; group < 3; row += index->rows(group++))
    CHECK(rows_as_text(index->table(group)) ==
          rows_as_text(take_rows(whole.table, test::rows_between(row, row + index->rows(group)))));

  // Rows that stand apart, other separators and standard input are for those who read it all.
  directory.write("apart.csv", "kernel,gpus,time_s\na,1,2\nb,1,2\na,2,3\n");
  CHECK_FALSE(GroupIndex::of(directory.file("apart.csv"), {"kernel"}, {}, {}));
  // Above a size there is nobody who does.
  const auto of_apart = [&](std::uintmax_t most_bytes) {
    return GroupIndex::of(directory.file("apart.csv"), {"kernel"}, {}, {}, most_bytes);
  };
  CHECK_FALSE(of_apart(37));  // as many as there are
  CHECK_THROWS_WITH(of_apart(36),
                    ContainsSubstring("apart.csv: rows of a group are not adjacent") &&
                        ContainsSubstring("sort it by 'kernel'"));
  CHECK(GroupIndex::of(path, {"kernel"}, {"kernel"}, {}, 36)->groups() == 3);
  directory.write("tabs.csv", "kernel\tgpus\ttime_s\na\t1\t2\n");
  CHECK_FALSE(GroupIndex::of(directory.file("tabs.csv"), {"kernel"}, {}, {}));
  CHECK_FALSE(GroupIndex::of("-", {"kernel"}, {}, {}));
  // A damaged line is refused before anything is fitted, by its own number.
  directory.write("damaged.csv", "kernel,gpus,time_s\na,1,2\nb,1\n");
  CHECK_THROWS_WITH(GroupIndex::of(directory.file("damaged.csv"), {"kernel"}, {}, {}),
                    ContainsSubstring("damaged.csv:3"));
  // What changes meanwhile is no longer what the digest is of.
  directory.write("runs.csv", kStanding + "\r\n1,net,4,9");
  CHECK_THROWS_WITH(index->table(1), ContainsSubstring("wrote to the file"));
}

TEST_CASE("groups over many blocks of a file are found", "[pipeline][many]") {
  std::string text = "kernel,gpus,time_s\n";
  constexpr std::size_t groups = 70000;  // more than a block of the reader
  for (std::size_t k = 0; k < groups; ++k)
    for (const char* row : {",1,20\n", ",2,10.5\n"})
      text += "a_kernel_" + std::to_string(k) + row;
  test::TemporaryDirectory directory;
  directory.write("runs.csv", text);
  const auto index = GroupIndex::of(directory.file("runs.csv"), {"kernel"}, {"kernel"}, {});
  REQUIRE(index);
  REQUIRE(index->groups() == groups);
  const auto is_right = [&](std::size_t k) {
    const Table table = index->table(k);
    return index->key(k).front() == "a_kernel_" + std::to_string(k) && table.rows() == 2 &&
           table.lines[1] == 2 * k + 3 && table.at("kernel").text(1) == index->key(k).front() &&
           table.at("time_s").numbers[1] == 10.5;
  };
  for (std::size_t k = 0; k < groups; k += 997)
    CHECK(is_right(k));
  CHECK(is_right(groups - 1));
}
