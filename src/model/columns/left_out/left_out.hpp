#pragma once

#include <string>
#include <vector>

#include "model/columns/facts/column_part.hpp"
#include "perfmodel/base/sentence.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/left_out/left_out_column.hpp"

namespace perfmodel {

/// Takes the columns out that are no inputs, though no flag says so; one input stays in any case.
std::vector<LeftOut> leave_out_no_inputs(const Table& table, std::vector<ColumnPart>& parts);

/// Why, in words that go on after "Column 'x' ": "numbers repetitions".
std::string words_for(const LeftOut& left_out);

/// One sentence per reason, with the flags that bring the columns back.
std::vector<Sentence> left_out_notices(const std::vector<LeftOut>& left_out,
                                       const std::vector<ColumnPart>& parts);

}  // namespace perfmodel
