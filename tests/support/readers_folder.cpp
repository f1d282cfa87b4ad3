#include "support/readers_folder.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "support/markdown.hpp"

namespace perfmodel::test {
namespace fs = std::filesystem;

ReadersFolder::ReadersFolder(const std::string& program) {
  const fs::path root = PERFMODEL_SOURCE_DIR;
  fs::create_directory(folder_.path() / ".bin");
  link(".bin/perfmodel", program);
  for (const char* name : {"data", "examples"})
    link(name, root / name);
}

void ReadersFolder::link(const std::string& name, const fs::path& target) const {
  fs::create_symlink(target, folder_.path() / name);
}

void ReadersFolder::write(const std::string& name, const std::vector<std::string>& lines) const {
  fs::create_directories((folder_.path() / name).parent_path());
  folder_.write(name, joined(lines));
}

CommandOutput ReadersFolder::run(const std::string& command) const {
  const std::string text = "cd '" + folder_.path().string() +
                           "' && export PATH=\"$PWD/.bin:$PATH\"; { " + command +
                           "} 2>&1 </dev/null";
  FILE* pipe = popen(text.c_str(), "r");
  if (pipe == nullptr)
    return {{"(there is no shell)"}, -1};
  std::string shown;
  std::array<char, 4096> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe))
    shown.append(buffer.data(), size);
  const int status = pclose(pipe);
  return {lines_of(shown), WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

}  // namespace perfmodel::test
