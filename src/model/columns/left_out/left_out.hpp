#pragma once

#include <string>
#include <vector>

#include "model/columns/facts/column_part.hpp"
#include "model/columns/facts/log_columns.hpp"
#include "perfmodel/base/sentence.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// A column that nobody named and that is no input of a model.
struct LeftOut {
  enum class Because {
    result,      ///< the runs had it as a result beside the time: "samples_per_s"
    identity,    ///< other columns give it: "global_batch" beside "local_batch" and "num_gpus"
    repetition,  ///< it numbers repetitions: "trial"
    label,       ///< it names runs: a date, a path, an id
  };

  std::string column;
  Because because = Because::result;
  std::string identity;              ///< "num_gpus * local_batch"; empty where there is none
  std::vector<Factor> factors = {};  ///< of a product that gives this one
};

/// Takes the columns out that are no inputs, though no flag says so; one input stays in any case.
std::vector<LeftOut> leave_out_no_inputs(const Table& table, std::vector<ColumnPart>& parts);

/// Why, in words that go on after "Column 'x' ": "numbers repetitions".
std::string words_for(const LeftOut& left_out);

/// One sentence per reason, with the flags that bring the columns back.
std::vector<Sentence> left_out_notices(const std::vector<LeftOut>& left_out,
                                       const std::vector<ColumnPart>& parts);

}  // namespace perfmodel
