#include "storage/files.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using test::read_text;
using test::TemporaryDirectory;

namespace {

struct stat status_of(const std::string& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status;
}

unsigned permissions(const std::string& path) {
  return status_of(path).st_mode & 07777U;
}

/// A process that was.
pid_t ended_process() {
  const pid_t process = ::fork();
  if (process == 0)
    ::_exit(0);
  REQUIRE(process > 0);
  REQUIRE(::waitpid(process, nullptr, 0) == process);
  return process;
}

/// Does something as another user, in a process of its own, and requires that it works.
template <class Action>
void as_user(uid_t user, gid_t group, const Action& action) {
  const pid_t process = ::fork();
  if (process == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0)
      ::_exit(1);
    try {
      action();
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(process, &status, 0) == process);
  REQUIRE(status == 0);
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
  for (const std::string& text : {std::string(3'000'000, 'x') + "end", std::string()}) {
    write_all(directory.file("out"), text);  // several blocks, or none
    CHECK(read_text(directory.file("out")) == text);
    CHECK(directory.entries() == 1);
  }
}

TEST_CASE("an output that was not committed leaves the old file and nothing else", "[io]") {
  const TemporaryDirectory directory;
  {
    // Before its first block it leaves no trace in the directory.
    OutputFile output(directory.file("out"));
    output.write("short");
    CHECK(directory.entries() == 0);
  }
  const std::string path = directory.write("out", "old");
  {
    OutputFile output(path);
    output.write(std::string(3'000'000, 'x'));
  }
  CHECK(read_text(path) == "old");
  CHECK(directory.entries() == 1);
}

TEST_CASE(
    "a replaced file keeps its permissions, but not to run as its owner, and a new one "
    "follows the umask",
    "[io]") {
  const TemporaryDirectory directory;
  const std::string old = directory.write("old", "old");
  REQUIRE(::chmod(old.c_str(), 0640) == 0);
  const FileMask mask(027);
  write_all(old, "new");
  write_all(directory.file("fresh"), "new");
  CHECK(permissions(old) == 0640);
  CHECK(permissions(directory.file("fresh")) == 0640);
  CHECK(read_text(old) == "new");
  REQUIRE(::chmod(old.c_str(), 07755) == 0);
  REQUIRE(permissions(old) == 07755);
  write_all(old, "new");
  CHECK(permissions(old) == 0755);
}

TEST_CASE("nobody reads a new version before it has the old file's permissions", "[io]") {
  const TemporaryDirectory directory;
  const std::string old = directory.write("old", "old");
  REQUIRE(::chmod(old.c_str(), 0600) == 0);
  const FileMask mask(0);
  OutputFile output(old);
  output.write(std::string(3'000'000, 'x'));
  REQUIRE(directory.entries() == 2);
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    CHECK(permissions(entry.path().string()) == 0600);
}

TEST_CASE("root keeps the owner and the group of a file that it replaces", "[io][needs-root]") {
  REQUIRE(::geteuid() == 0);
  const TemporaryDirectory directory;
  const std::string old = directory.write("old", "old");
  REQUIRE(::chown(old.c_str(), 12345, 23456) == 0);
  REQUIRE(::chmod(old.c_str(), 0640) == 0);
  write_all(old, "new");
  const struct stat status = status_of(old);
  CHECK(status.st_uid == 12345);
  CHECK(status.st_gid == 23456);
  CHECK(permissions(old) == 0640);
}

TEST_CASE("where the group cannot be kept, a new one gets no right that it had not",
          "[io][needs-root]") {
  REQUIRE(::geteuid() == 0);
  const TemporaryDirectory directory;
  REQUIRE(::chmod(directory.path().c_str(), 0777) == 0);
  const std::string old = directory.write("old", "old");
  REQUIRE(::chown(old.c_str(), 12345, 23456) == 0);
  REQUIRE(::chmod(old.c_str(), 0666) == 0);
  const std::string shared = directory.write("shared", "old");
  REQUIRE(::chown(shared.c_str(), 54321, 23456) == 0);
  REQUIRE(::chmod(shared.c_str(), 0662) == 0);
  as_user(54321, 34567, [&] {
    write_all(old, "new");
    write_all(shared, "new");
  });
  CHECK(read_text(old) == "new");
  CHECK(status_of(old).st_uid == 54321);
  CHECK(status_of(old).st_gid == 34567);
  CHECK(permissions(old) == 0666);
  CHECK(permissions(shared) == 0622);  // the new group was among the others, who cannot read
}

TEST_CASE("files that killed programs left beside an output go with the next one", "[io]") {
  const TemporaryDirectory directory;
  const std::string dead = std::to_string(ended_process());
  const std::string alive = std::to_string(::getppid());
  const std::vector<std::string> left = {"out.perfmodel-" + dead + "-0",
                                         "out.perfmodel-" + dead + "-17"};
  const std::vector<std::string> kept = {
      "out.perfmodel-" + alive + "-0",    "other.perfmodel-" + dead + "-0",
      "out.perfmodel-" + dead + "-0.csv", "out.perfmodel-" + dead,
      "out.perfmodel--" + dead + "-0",    "out.perfmodel-0-0",
      "out.perfmodel-" + dead + "-x",     "Xout.perfmodel-" + dead + "-0",
      "out.perfmodel-99999999999999999-0"};
  for (const auto* const names : {&left, &kept})
    for (const std::string& name : *names)
      directory.write(name, "partial");
  std::filesystem::create_symlink(kept[1], directory.path() / ("out.perfmodel-" + dead + "-1"));
  std::filesystem::create_directory(directory.path() / ("out.perfmodel-" + dead + "-2"));
  write_all(directory.file("out"), "new");
  for (const std::string& name : left)
    CHECK_FALSE(std::filesystem::exists(directory.path() / name));
  for (const std::string& name : kept) {
    CAPTURE(name);
    CHECK(std::filesystem::exists(directory.path() / name));
  }
  CHECK(directory.entries() == kept.size() + 3);  // the link, the directory and the output
}

TEST_CASE("a file that a program elsewhere still writes stays, unknown as its process is", "[io]") {
  const TemporaryDirectory directory;
  const std::string name = "out.perfmodel-" + std::to_string(ended_process()) + "-0";
  const std::string path = directory.write(name, "partial");
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  REQUIRE(::flock(descriptor, LOCK_EX | LOCK_NB) == 0);
  write_all(directory.file("out"), "new");
  CHECK(std::filesystem::exists(path));
  REQUIRE(::close(descriptor) == 0);
  write_all(directory.file("out"), "new");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a symbolic link stays one, and what it points to is replaced or made", "[io]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "sub");
  const std::string target = directory.write("sub/target", "old");
  std::filesystem::create_symlink("sub/target", directory.path() / "link");
  std::filesystem::create_symlink("link", directory.path() / "second");
  write_all(directory.file("second"), "new");
  CHECK(std::filesystem::is_symlink(directory.path() / "second"));
  CHECK(std::filesystem::is_symlink(directory.path() / "link"));
  CHECK(read_text(target) == "new");
  std::filesystem::create_symlink("missing", directory.path() / "dangling");
  write_all(directory.file("dangling"), "new");
  CHECK(std::filesystem::is_symlink(directory.path() / "dangling"));
  CHECK(read_text(directory.file("missing")) == "new");
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

TEST_CASE("a journal has all lines at any moment", "[files]") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", "a\nb\ntorn");
  std::string kept;
  {
    LinesFile journal(path, true, LinesFile::Kind::journal);
    CHECK(journal.has_kept());
    CHECK_THROWS_AS(LinesFile(path, true, LinesFile::Kind::journal), OutputError);
    journal.keep_lines([&](std::string_view line) {
      kept += line;
      return true;
    });
    CHECK(kept == "a\nb\n");
    journal.write("c\n");
    journal.sync();
    CHECK(read_text(path) == "a\nb\nc\n");
    CHECK(directory.entries() == 1);
  }
  CHECK(read_text(path) == "a\nb\nc\n");
}
