#include "io/documents/selftest_json.hpp"

#include <algorithm>
#include <cmath>

#include "json/json_layout.hpp"

namespace perfmodel {

std::string selftest_to_json(const std::vector<SelftestFigure>& figures) {
  Json list = Json::array();
  for (const SelftestFigure& figure : figures) {
    list.push_back({{"problem", figure.problem},
                    {"quantity", figure.quantity},
                    {"certified", number(figure.certified)},
                    {"computed", std::isfinite(figure.computed) ? number(figure.computed) : Json()},
                    {"digits", number(figure.digits)},
                    {"promised", number(figure.promised)},
                    {"passed", figure.passed()}});
  }
  const bool passed = std::all_of(figures.begin(), figures.end(),
                                  [](const SelftestFigure& figure) { return figure.passed(); });
  return document_text({{"schema", "perfmodel/selftest"},
                        {"schema_version", 1},
                        {"passed", passed},
                        {"figures", list}});
}

}  // namespace perfmodel
