#include "io/model/repeats_json.hpp"

namespace perfmodel {
namespace {

/// For readers of the file, who may take "standard deviation" for an uncertainty.
constexpr auto kMeaning =
    "mean and standard deviation (n - 1) over seeds of the search on the same rows: not a "
    "confidence interval";

Json to_json(const std::vector<SeedSpread>& spreads) {
  Json list = Json::array();
  for (const SeedSpread& spread : spreads) {
    list.push_back({{"name", spread.name},
                    {"mean", number(spread.mean)},
                    {"standard_deviation", number(spread.standard_deviation)}});
  }
  return list;
}

std::vector<SeedSpread> read_spreads(const JsonCursor& node) {
  std::vector<SeedSpread> spreads;
  for (const auto& item : node.items()) {
    spreads.push_back({item.member("name").name(), item.member("mean").number(),
                       item.member("standard_deviation").number()});
  }
  return spreads;
}

}  // namespace

Json to_json(const RepeatSummary& repeats) {
  Json seeds = Json::array();
  for (const SeedFit& fit : repeats.seeds)
    seeds.push_back({{"seed", fit.seed}, {"cost", number(fit.cost)}});
  return {{"fits", repeats.fits},
          {"meaning", kMeaning},
          {"seeds", seeds},
          {"constants", to_json(repeats.constants)},
          {"scaling_powers", to_json(repeats.scaling_powers)},
          {"metrics",
           {{"train", to_json(repeats.train)},
            {"validation", to_json(repeats.validation)},
            {"test", to_json(repeats.test)}}}};
}

RepeatSummary read_repeats(const JsonCursor& node) {
  RepeatSummary repeats;
  repeats.fits = node.member("fits").count();
  for (const auto& item : node.member("seeds").items())
    repeats.seeds.push_back({item.member("seed").count(), item.member("cost").number()});
  repeats.constants = read_spreads(node.member("constants"));
  repeats.scaling_powers = read_spreads(node.member("scaling_powers"));
  const auto metrics = node.member("metrics");
  repeats.train = read_spreads(metrics.member("train"));
  repeats.validation = read_spreads(metrics.member("validation"));
  repeats.test = read_spreads(metrics.member("test"));
  return repeats;
}

}  // namespace perfmodel
