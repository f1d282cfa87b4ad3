#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;

namespace {

/// A terminal whose person reads all that appears.
class PseudoTerminal {
 public:
  PseudoTerminal() : own_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(own_ >= 0);
    REQUIRE(::grantpt(own_) == 0);
    REQUIRE(::unlockpt(own_) == 0);
    programs_ = ::open(::ptsname(own_), O_RDWR | O_NOCTTY);
    REQUIRE(programs_ >= 0);
    reader_ = std::thread([this] {
      std::array<char, 4096> block{};
      for (ssize_t count = 0; (count = ::read(own_, block.data(), block.size())) > 0;)
        text_.append(block.data(), static_cast<std::size_t>(count));
    });
  }
  ~PseudoTerminal() {
    hang_up();
    ::close(own_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  int programs_end() const { return programs_; }

  /// All that programs have written; they cannot any more.
  const std::string& text() {
    hang_up();
    return text_;
  }

 private:
  int own_;
  int programs_ = -1;
  std::string text_;
  std::thread reader_;

  /// The reader's next read fails once no program has the other end.
  void hang_up() {
    if (!reader_.joinable())
      return;
    ::close(programs_);
    reader_.join();
  }
};

/// What `fit` writes to a terminal with these arguments, and what it says.
struct Shown {
  std::string output;
  ProgramResult result;
};

Shown shown_by(std::vector<std::string> arguments, const TemporaryDirectory& directory) {
  PseudoTerminal terminal;
  ProgramOptions options;
  options.directory = directory.path();
  options.output_descriptor = terminal.programs_end();
  arguments.insert(arguments.begin(), {"fit", "runs.csv"});
  const ProgramResult result = run_perfmodel(arguments, options);
  return {terminal.text(), result};
}

const std::string advice = "the model is not written anywhere; save it: -o model.json";

}  // namespace

TEST_CASE("fit prints a table to a terminal, and the model where something else reads", "[cli]") {
  const TemporaryDirectory directory;
  directory.write("runs.csv", "gpus,time_s\n1,8\n2,5\n4,3\n8,2\n16,1.5\n");
  const Shown table = shown_by({}, directory);
  CHECK(table.result.exit_code == 0);
  CHECK(table.output.empty());
  CHECK_THAT(table.result.errors, Catch::Contains("scaling") && Catch::Contains(advice));

  // Who says where to has it there, and who wants no table wants the model.
  const Shown file = shown_by({"-o", "model.json"}, directory);
  CHECK(file.result.exit_code == 0);
  CHECK(file.output.empty());
  CHECK_THAT(file.result.errors, !Catch::Contains(advice));
  const std::string begin = "{\r\n  \"schema\": \"perfmodel/model\"";
  CHECK_THAT(shown_by({"-o", "-"}, directory).output, Catch::StartsWith(begin));
  CHECK_THAT(shown_by({"--quiet"}, directory).output, Catch::StartsWith(begin));

  ProgramOptions options;
  options.directory = directory.path();
  const ProgramResult piped = run_perfmodel({"fit", "runs.csv"}, options);
  CHECK(piped.output == read_text(directory.file("model.json")));
  CHECK_THAT(piped.errors, !Catch::Contains(advice));
}
