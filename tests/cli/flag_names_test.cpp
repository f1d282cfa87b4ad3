#include "cli/options.hpp"

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("a field is named by its flag", "[cli]") {
  CHECK(cli::flag_text({"ignore"}) == "--ignore");
  CHECK(cli::flag_text({"group_by"}) == "--group-by");
  CHECK(cli::flag_text({"gates"}) == "--fail-if");
  CHECK(cli::flag_text({"settings"}) == "--set");
  CHECK(cli::flag_text({"conditions"}) == "--where");
  CHECK(cli::flag_text({"derived"}) == "--derive");
  CHECK(cli::flag_text({"language", {"python"}}) == "--as python");
}

TEST_CASE("values of flags can be pasted into a shell", "[cli]") {
  CHECK(cli::flag_text({"ignore", {"a", "b.c"}}) == "--ignore a,b.c");
  CHECK(cli::flag_text({"ignore", {"drop out"}}) == "--ignore 'drop out'");
  CHECK(cli::flag_text({"ignore", {"it's", "b"}}) == "--ignore 'it'\\''s,b'");
}

TEST_CASE("what a model says names flags", "[cli]") {
  FittedModel model;
  model.warnings.push_back({"at_bound", "C", "narrow " + Field{"bounds"}});
  model.provenance.notices.emplace_back("pass " + Field{"ignore", {"host"}});
  cli::name_flags(model);
  CHECK(model.warnings[0].message.text() == "narrow --bounds");
  CHECK(model.provenance.notices[0].text() == "pass --ignore host");
}
