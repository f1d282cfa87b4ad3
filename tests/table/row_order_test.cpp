#include "table/table.hpp"

#include "support/catch.hpp"
#include "support/csv_text.hpp"

using namespace perfmodel;
using perfmodel::test::table_of;

namespace {

/// The cells of a column in the order of the content.
std::vector<std::string> in_order(const Table& table, const std::string& column) {
  std::vector<std::string> out;
  for (const std::size_t row : rows_by_content(table, "time"))
    out.push_back(table.at(column).text(row));
  return out;
}

}  // namespace

TEST_CASE("rows are sorted by the first column, then by what they share with others") {
  const auto sorted =
      in_order(table_of("label,kind,n,time\na,z,2,5\nb,y,10,5\nc,z,10,5\nd,z,1,4\n"), "label");
  CHECK(sorted.front() == "d");
  CHECK(in_order(table_of("n,time,label,kind\n10,5,c,z\n1,4,d,z\n2,5,a,z\n10,5,b,y\n"), "label") ==
        sorted);
  // The columns in the opposite order of names, and so the levels.
  CHECK(in_order(table_of("c,m,a,time\na,y,2,5\nb,z,10,5\nc,y,10,5\nd,y,1,4\n"), "c") == sorted);
}

TEST_CASE(
    "rows that nothing but names tells apart are sorted by these, equal ones stay, and units "
    "do not matter") {
  CHECK(in_order(table_of("kind,time\nb,1\na,1\nb,1\na,1\n"), "kind") ==
        std::vector<std::string>{"a", "a", "b", "b"});
  CHECK(rows_by_content(table_of("n,time\n1,2\n1,2\n1,1\n"), "time") ==
        std::vector<std::size_t>{2, 0, 1});
  CHECK(in_order(table_of("label,n,time\na,2,5\nb,10,5\nc,1,6\n"), "label") ==
        in_order(table_of("label,n,time\na,0.02,5000\nb,0.1,5000\nc,0.01,6000\n"), "label"));
}
