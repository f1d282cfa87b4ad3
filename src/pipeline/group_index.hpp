#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// A file whose groups stand one after the other may be of any size; others are read as a whole, up
/// to this one.
constexpr std::uintmax_t kMostBytesAsAWhole = std::uintmax_t{1} << 30;

/// Where the groups of a CSV file stand that come one after the other, so that each can be read on
/// its own. All lines were read once, by the reader of whole files, so that what it refuses is
/// refused at once.
class GroupIndex {
 public:
  /// Nothing where rows of a group stand apart, and for what is no plain file of commas: standard
  /// input, other separators. Throws InputError for what parse_csv() refuses, and where rows stand
  /// apart in a file that is too large to be read as a whole.
  static std::optional<GroupIndex> of(const std::string& path, const std::vector<std::string>& by,
                                      const std::set<std::string>& texts,
                                      std::optional<char> separator,
                                      std::uintmax_t most_bytes_as_a_whole = kMostBytesAsAWhole);

  const std::string& path() const { return path_; }
  const std::string& digest() const { return digest_; }  ///< of all bytes
  std::size_t groups() const { return spans_.size(); }
  const std::vector<std::string>& key(std::size_t group) const { return spans_[group].key; }
  std::size_t rows(std::size_t group) const { return spans_[group].rows; }

  /// Some rows from the beginning on.
  const Table& first_rows() const { return first_rows_; }
  /// The rows of a group, as they are in a table of the whole. Throws InputError where somebody
  /// wrote to the file meanwhile.
  Table table(std::size_t group) const;

 private:
  struct Span {
    std::vector<std::string> key;
    std::uint64_t begin = 0;  ///< in the file
    std::uint64_t end = 0;
    std::uint32_t line = 0;  ///< of the first row
    std::size_t rows = 0;
  };

  std::string path_;
  std::set<std::string> texts_;
  std::string digest_;
  std::string header_;     ///< the line
  std::string first_row_;  ///< the line; its cells say which columns are numbers
  Table first_rows_;
  std::vector<Span> spans_;
  std::unordered_set<std::string> seen_;  ///< keys
  struct stat status_ = {};

  /// Whole lines that begin at this place; false where rows stand apart.
  bool add(std::string_view lines, std::uint64_t begin, std::uint32_t line,
           const std::vector<std::string>& by);
  Table parsed(std::string_view lines, std::uint32_t line) const;
};

}  // namespace perfmodel
