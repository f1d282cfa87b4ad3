#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace perfmodel {

/// In bytes, beyond which a file has no lines.
constexpr std::size_t kLongestLine = std::size_t{1} << 24;

/// The size of a regular file; throws InputError for anything else.
std::uint64_t regular_file_size(const std::string& path);

/// Hands the lines of a file that begin at `begin` or behind it and before `end` to `visit`, in
/// blocks of whole lines, with the place of the block in the file. Ranges that follow each other
/// have each line once, wherever they are cut. Throws InputError where the file cannot be read, and
/// for a line of more than 16 MiB.
void for_each_block(const std::string& path, std::uint64_t begin, std::uint64_t end,
                    const std::function<void(std::string_view lines, std::uint64_t offset)>& visit);

}  // namespace perfmodel
