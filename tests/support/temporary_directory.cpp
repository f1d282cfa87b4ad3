#include "support/temporary_directory.hpp"

#include <stdlib.h>  // mkdtemp is POSIX, not C++

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace perfmodel::test {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "perfmodel-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("cannot create " + name);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name, std::string_view content) const {
  std::ofstream stream(path_ / name, std::ios::binary);
  stream << content;
  if (!stream.flush())
    throw std::runtime_error("cannot write " + file(name));
  return file(name);
}

std::size_t TemporaryDirectory::entries() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_))
    ++count;
  return count;
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace perfmodel::test
