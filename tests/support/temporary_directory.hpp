#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace perfmodel::test {

/// A fresh directory that goes away with all it holds.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const;
  std::size_t entries() const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::string& path);

}  // namespace perfmodel::test
