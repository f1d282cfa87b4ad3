// Catch2 version 3 brings its own main(); version 2 generates it in one source file, this one.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

// A test case that asserts nothing fails. Its command line would take only one --warn.
int main(int argc, char** argv) {
  Catch::Session session;
  if (const int status = session.applyCommandLine(argc, argv); status != 0)
    return status;
  auto& warnings = session.configData().warnings;
  warnings = static_cast<Catch::WarnAbout::What>(warnings | Catch::WarnAbout::NoAssertions);
  return session.run();
}
#endif
