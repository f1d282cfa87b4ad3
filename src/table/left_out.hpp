#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"
#include "table/column_facts.hpp"

namespace perfmodel {

/// Whether a column of this name usually holds what a run had as its result beside the time:
/// "throughput", "samples_per_s", "gpu_util", "mfu", "test_acc", "forward_ms", "latency".
/// People set such quantities, too ("requests_per_s" of a load): the values have to tell.
bool is_by_product_name(std::string_view name);

/// A numeric input that the runs had as a result beside the time.
struct ByProduct {
  std::string column;
  std::string law;  ///< "batch_size / time_s", up to a factor; empty where the name tells
};

/// Among the columns that no flag names, that are no scale by name and not derived, those
/// - that are a product or quotient of the time and up to two other numbers, to 1 % in every row,
/// - or whose name is that of a result (is_by_product_name),
/// and that look measured: more than 20 different values, or one for more than half of the rows. A
/// quantity that people set has fewer, which repeat. Columns of whole numbers need the name.
///
/// In the order of their names.
std::vector<ByProduct> find_by_products(const Table& table, const std::vector<ColumnPart>& parts);

/// A column of an identity, for the choice of the one that follows from the others.
struct IdentityMember {
  std::string name;
  bool may_follow = true;   ///< no flag names it
  bool is_product = false;  ///< of all the others
  std::size_t values = 0;   ///< different ones
};

/// The index of the member that follows from the others, by the rules of find_identities(); the
/// number of members where none may.
std::size_t choose_dependent(const std::vector<IdentityMember>& members);

/// Takes the columns out that are no inputs, though no flag says so; one input stays in any case.
std::vector<LeftOut> leave_out_no_inputs(const Table& table, std::vector<ColumnPart>& parts);

/// Why, in words that go on after "Column 'x' ": "numbers repetitions".
std::string words_for(const LeftOut& left_out);

/// One sentence per reason, with the flags that bring the columns back.
std::vector<Sentence> left_out_notices(const std::vector<LeftOut>& left_out,
                                       const std::vector<ColumnPart>& parts);

/// A column that others give.
struct Identity {
  std::string column;
  std::string law;              ///< "local_batch * num_gpus", "4 * nodes", "log of n"
  std::vector<Factor> factors;  ///< of a product that gives the column
};

/// Among the numeric inputs, those that follow from others in every row:
/// - as a product or quotient of up to three, times a number,
/// - as a power (2, 3, 1/2) or a logarithm of one,
/// - as one times a number for each level of a column of texts.
///
/// Which column of an identity follows is a matter of names, the first of
/// - a total ("global_batch", "total_tokens") or a batch beside one that is called per worker,
/// - a number without the name of a scale, but for those per something ("gpus_per_node"),
/// - a coarse count ("nodes" beside "gpus"),
/// - a number per something,
/// - any other scale;
/// among several of these the product of the others, then the one of most different values, then
/// the first in the alphabet. So a scale can grow while all that is kept stays as it is.
///
/// Columns that a flag names and derived ones do not follow from any.
std::vector<Identity> find_identities(const Table& table, const std::vector<ColumnPart>& parts);

/// Among the inputs of whole numbers, those that follow in steps from others, a scale among them,
/// in every row: ceil(x / k) of one, or ceil(x) of a product x of up to three with powers 1 and -1.
/// They are inputs all the same, since a time may jump where they do. Believed is what at least 4,
/// 6 or 8 different rows of one, two or three columns say, and more rows than the column has
/// values. The ties name no scale.
std::vector<Tie> find_steps(const std::vector<ColumnPart>& parts);

/// "ceil(num_gpus / 8)"
std::string law_of_step(const Tie& step);

/// Inputs that no flag names and that tell runs apart, not configurations.
struct RunLabels {
  /// Whole numbers, or texts that differ in digits alone, with a name such as "rep", "run_id",
  /// "trial", "visit", "seed", or "iteration" where it counts from 0 or 1.
  std::vector<std::string> repetitions;
  /// Dates and times of day; paths and other texts of which most rows have their own; numbers of
  /// such names as "config_id" and "timestamp".
  std::vector<std::string> labels;
};

/// In the order of the file.
RunLabels find_run_labels(const Table& table, const std::vector<ColumnPart>& parts);

}  // namespace perfmodel
