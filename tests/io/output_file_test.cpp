#include "perfmodel/io/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "perfmodel/base/error.hpp"
#include "support/catch.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using test::read_text;
using test::TemporaryDirectory;

namespace {

unsigned permissions(const std::string& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

/// Sets the mask of permissions for new files as long as it lives.
class FileMask {
 public:
  explicit FileMask(mode_t mask) : previous_(::umask(mask)) {}
  ~FileMask() { ::umask(previous_); }
  FileMask(const FileMask&) = delete;
  FileMask& operator=(const FileMask&) = delete;

 private:
  mode_t previous_;
};

void write_all(const std::string& path, std::string_view text) {
  OutputFile output(path);
  output.write(text);
  output.commit();
}

}  // namespace

TEST_CASE("a committed output holds exactly what was written", "[io]") {
  const TemporaryDirectory directory;
  const std::string text(3'000'000, 'x');  // several blocks
  write_all(directory.file("out"), text + "end");
  CHECK(read_text(directory.file("out")) == text + "end");
  CHECK(directory.entries() == 1);
}

TEST_CASE("an output that was not committed leaves the old file and nothing else", "[io]") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("out", "old");
  {
    OutputFile output(path);
    output.write(std::string(3'000'000, 'x'));
  }
  CHECK(read_text(path) == "old");
  CHECK(directory.entries() == 1);
}

TEST_CASE("before its first block an output leaves no trace in the directory", "[io]") {
  const TemporaryDirectory directory;
  OutputFile output(directory.file("out"));
  output.write("short");
  CHECK(directory.entries() == 0);
}

TEST_CASE("an empty output makes an empty file", "[io]") {
  const TemporaryDirectory directory;
  write_all(directory.file("out"), "");
  CHECK(read_text(directory.file("out")).empty());
}

TEST_CASE("a replaced file keeps its permissions and a new one follows the umask", "[io]") {
  const TemporaryDirectory directory;
  const std::string old = directory.write("old", "old");
  REQUIRE(::chmod(old.c_str(), 0640) == 0);
  const FileMask mask(027);
  write_all(old, "new");
  write_all(directory.file("fresh"), "new");
  CHECK(permissions(old) == 0640);
  CHECK(permissions(directory.file("fresh")) == 0640);
  CHECK(read_text(old) == "new");
}

TEST_CASE("a symbolic link stays one, and what it points to is replaced", "[io]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "sub");
  const std::string target = directory.write("sub/target", "old");
  std::filesystem::create_symlink("sub/target", directory.path() / "link");
  std::filesystem::create_symlink("link", directory.path() / "second");
  write_all(directory.file("second"), "new");
  CHECK(std::filesystem::is_symlink(directory.path() / "second"));
  CHECK(std::filesystem::is_symlink(directory.path() / "link"));
  CHECK(read_text(target) == "new");
}

TEST_CASE("a dangling symbolic link is filled", "[io]") {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("target", directory.path() / "link");
  write_all(directory.file("link"), "new");
  CHECK(std::filesystem::is_symlink(directory.path() / "link"));
  CHECK(read_text(directory.file("target")) == "new");
}

TEST_CASE("a pipe is written through", "[io]") {
  const TemporaryDirectory directory;
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  {
    OutputFile output("/dev/fd/" + std::to_string(ends[1]));
    CHECK_FALSE(output.replaces_file());
    output.write("through");
    output.commit();
  }
  REQUIRE(::close(ends[1]) == 0);
  char text[16] = {};
  CHECK(::read(ends[0], text, sizeof text) == 7);
  CHECK(std::string(text) == "through");
  ::close(ends[0]);
}

TEST_CASE("a place that cannot be written is found out before anything is", "[io]") {
  const TemporaryDirectory directory;
  const std::string missing = directory.file("missing/out");
  CHECK_THROWS_MATCHES(
      OutputFile(missing), OutputError,
      Catch::Matchers::Message("cannot write " + missing + ": cannot create a file in directory '" +
                               directory.file("missing") + "': No such file or directory"));
  const std::string folder = directory.path().string();
  CHECK_THROWS_MATCHES(OutputFile(folder), OutputError,
                       Catch::Matchers::Message("cannot write " + folder + ": Is a directory"));
  CHECK_THROWS_MATCHES(OutputFile("/dev/fd/987"), OutputError,
                       Catch::Matchers::Message("cannot write /dev/fd/987: Bad file descriptor"));
  CHECK_THROWS_MATCHES(OutputFile(""), OutputError,
                       Catch::Matchers::Message("cannot write to a file without a name"));
  std::filesystem::create_symlink("loop", directory.path() / "loop");
  CHECK_THROWS_MATCHES(OutputFile(directory.file("loop")), OutputError,
                       Catch::Matchers::Message("cannot write " + directory.file("loop") +
                                                ": Too many levels of symbolic links"));
}

TEST_CASE("a full device is an error that names it", "[io]") {
  OutputFile output("/dev/full");
  output.write("x");
  CHECK_THROWS_MATCHES(output.commit(), OutputError,
                       Catch::Matchers::Message("cannot write /dev/full: No space left on device"));
}
