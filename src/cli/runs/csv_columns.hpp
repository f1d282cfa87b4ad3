#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/output_file.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel::cli {

/// Throws InputError where the table already has one of these columns.
void refuse_taken_names(const Table& table, const std::vector<std::string>& names);

/// The lines of the file as they are, each followed by the cells of new columns, numbers and words
/// without blanks, written as the file's are: with its separator and its decimal commas. Nothing
/// of a line is read and written anew, so no cell changes.
void append_columns(std::string_view bytes, const Table& table,
                    const std::vector<std::string>& names,
                    const std::function<std::vector<std::string>(std::size_t row)>& cells,
                    OutputFile& output);

}  // namespace perfmodel::cli
