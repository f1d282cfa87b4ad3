#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

// Tools add to the program what it does not know itself: commands, readers of files, languages of
// formulas, documents, and what is done with many models. `src/tools/list.cpp` says which there
// are.

/// The things of a kind that tools have added, in the order of their list.
template <class Item>
std::vector<Item>& added() {
  static std::vector<Item> items;
  return items;
}

template <class Item>
void add(std::initializer_list<Item> items) {
  added<Item>().insert(added<Item>().end(), items);
}

/// `own` things of a kind, each followed by those of tools that belong behind it.
template <class Item>
std::vector<Item> with_added(const std::vector<Item>& own) {
  std::vector<Item> out;
  for (const Item& item : own) {
    out.push_back(item);
    for (const Item& other : added<Item>())
      if (other.after == item.name)
        out.push_back(other);
  }
  return out;
}

/// A tool that the program was built without.
struct MissingTool {
  std::string_view name;
  /// What it would add, as it is asked for: "merge", "fit --by", "--as slurm".
  std::vector<std::string_view> has;
  /// With which the files begin that it would read.
  std::vector<std::string_view> beginnings = {};
};

/// "'merge': this program was built without the tool 'many'"; empty for what no missing tool has.
std::string about_missing(std::string_view thing);
/// Throws UsageError with this sentence.
void require_tool_of(std::string_view thing);
/// Throws InputError for a file that begins as those do that a missing tool reads.
void require_reader_of(std::string_view bytes, const std::string& source);

}  // namespace perfmodel
