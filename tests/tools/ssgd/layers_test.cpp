#include "ssgd/ssgd.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"

using namespace perfmodel;
using namespace perfmodel::ssgd;

namespace {

std::string error_of(const std::string& csv, const ProfileOptions& options = {}) {
  return test::message_of([&] { profile_of(test::table_of(csv, {"name", "worker"}), options); });
}

}  // namespace

TEST_CASE("layers may stand in any order and keep their names", "[ssgd]") {
  const Profile profile = profile_of(test::table_of("layer,name,t_f_us,t_b_us,grad_elems,t_u_us\n"
                                                    "2,fc,3,4,5,0.5\n1,conv,1,2,10,1\n"),
                                     {.bytes_per_element = 2, .forward_share = {}});
  REQUIRE(profile.layers.size() == 2);
  CHECK(profile.layers[0].name == "conv");
  CHECK(profile.layers[1].name == "fc");
  CHECK(profile.layers[0].gradient_bytes == 20);
  CHECK(profile.update_us == 1.5);
  CHECK_FALSE(profile.has_communication());
}

TEST_CASE("forward times that were not measured have to be assumed in words", "[ssgd]") {
  const std::string csv = "layer,t_b_us,grad_bytes\n1,4,8\n";
  CHECK(error_of(csv) ==
        "runs.csv: no column 't_f_us'; if forward times were not measured, --forward-share 0.5 "
        "takes half of the backward time, as the authors of the model did");
  const Profile profile =
      profile_of(test::table_of(csv), {.bytes_per_element = 4, .forward_share = 0.5});
  CHECK(profile.layers[0].times[0].forward_us == 2);
  CHECK(error_of("layer,t_f_us,t_b_us,grad_bytes\n1,1,4,8\n",
                 {.bytes_per_element = 4, .forward_share = 0.5}) ==
        "--forward-share has no use: runs.csv has a column 't_f_us'");
}

TEST_CASE("bad layers are named with file, line and reason", "[ssgd]") {
  const std::string header = "layer,t_f_us,t_b_us,grad_bytes\n";
  CHECK(error_of("layer,t_f_us,grad_bytes\n1,2,3\n") ==
        "no column 't_b_us' in runs.csv; did you mean 't_f_us'?");
  CHECK(error_of("layer,t_f_us,t_b_us\n1,2,3\n") ==
        "runs.csv: neither a column 'grad_bytes' nor 'grad_elems' states how large the gradients "
        "are");
  CHECK(error_of(header + "1,2,x,4\n2,-1,3,4\n") ==
        "runs.csv:3: column 't_f_us': -1 is not >= 0\n"
        "runs.csv:2: column 't_b_us': \"x\" is not a number");
  CHECK(error_of(header + "1,2,3,4\n1,2,3,4\n") ==
        "runs.csv:3: layer 1 stands twice, first in line 2");
  CHECK(error_of(header + "1,2,3,4\n3,2,3,4\n") ==
        "runs.csv: layer 2 is missing; layers are numbered from 1 in forward order");
  CHECK(error_of(header + "0,2,3,4\n") == "runs.csv:2: column 'layer': 0 is not > 0");
  for (const std::string layer : {"0.5", "1.5"})
    CHECK(error_of(header + layer + ",2,3,4\n1,2,3,4\n") ==
          "runs.csv:2: column 'layer': " + layer +
              " is not a whole number; layers are numbered from 1 in forward order");
  CHECK(error_of(header + "1e9,2,3,4\n") ==
        "runs.csv: column 'layer': 1e+09 is no number of a layer; they run from 1 in forward "
        "order");
  CHECK(error_of(header + "1,2,0,4\n2,1,0,3\n") ==
        "runs.csv: all backward times are 0; there is nothing to model");
  // Every worker has to have every layer, of one size.
  const std::string of_workers = "worker,layer,t_f_us,t_b_us,grad_bytes\n";
  CHECK(error_of(of_workers + "0,1,1,1,4\n0,2,1,1,4\n1,1,1,1,4\n") ==
        "runs.csv: layer 2 of worker '1' is missing; layers are numbered from 1 in forward order");
  CHECK(error_of(of_workers + "0,1,1,1,4\n1,1,1,1,5\n") ==
        "runs.csv:3: the gradient of layer 1 has another size than in line 2");
}
