#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/spec.hpp"
#include "roles/column_facts.hpp"
#include "roles/evidence.hpp"

namespace perfmodel {

/// What the evidence says of the columns of a table.
struct Guess {
  Classified found;
  std::vector<Told> told;            ///< one per column
  std::vector<bool> taken;           ///< one per column: an input
  std::vector<std::size_t> targets;  ///< the column that was measured, or up to three that may be

  bool is_taken(std::size_t column) const { return taken[column]; }
};

/// Classifies the columns, given the parts that flags name, and the results and facts of a request.
Guess guess_of(const Table& table, const std::vector<ColumnPart>& parts,
               const RoleRequest& request = {});

/// Whether a column of numbers may be measured: settings are whole, and have few values.
bool looks_measured(const Column& column);

/// The law by which whole numbers are, in every row, a sum of multiples of two of the others and of
/// their product: "32 * b + b * prompt"; empty if there is none.
std::string law_of_sum(const ColumnPart& x, const std::vector<const ColumnPart*>& others);

/// The law by which a column of numbers is, in every row to 1 %, a product or quotient of the
/// target and up to two factors: "batch_size / time_s".
std::optional<std::string> law_with_target(const ColumnPart& x, const ColumnPart& target,
                                           const std::vector<const ColumnPart*>& factors);

/// The numeric inputs of a model that no formula computes from others.
std::vector<ColumnPart> numeric_parts(const Table& table, const ModelSpec& spec);

/// Numeric inputs that follow from the measured time, but are inputs because a flag names them or
/// no other is left. The errors of such a model are meaningless.
std::vector<LeftOut> inputs_given_by_target(const Table& table, const ModelSpec& spec);

/// Excludes the columns that are found to be no inputs although no flag excludes them; at least one
/// input remains. Returns the excluded columns.
std::vector<LeftOut> leave_out_no_inputs(const Table& table, const Guess& guess,
                                         std::vector<ColumnPart>& parts);

/// The reason, as the predicate of "Column 'x' ...": "numbers repetitions".
std::string words_for(const LeftOut& left_out);

/// "Column 'a'", "Columns 'a' and 'b'"
std::string columns_named(std::span<const std::string> names);

/// "fit a model per 'optimiser': --by optimiser", for the column of fewest texts that tell in which
/// rows another one has no value; empty if there is none.
std::string models_without_gaps(const Column& column, const Table& table);

/// One sentence per reason, with the flags that make the columns inputs.
std::vector<std::string> left_out_notices(const std::vector<LeftOut>& left_out,
                                          const std::vector<ColumnPart>& parts, const Table& table);

/// The numeric inputs that follow from others in every row:
/// - as a constant times a product or quotient of up to three,
/// - as a power (2, 3, 1/2) or a logarithm of one,
/// - in whole numbers, as a sum of multiples of two, their product and 1,
/// - as one times a constant per level of a text column.
///
/// The column of an identity that counts as dependent is chosen by name, the first of
/// - a total ("global_batch", "total_tokens") or a batch if another name is per worker,
/// - a number without the name of a scale, except "gpus_per_node" and the like,
/// - a coarse count ("nodes" beside "gpus"),
/// - a number per worker or other unit ("gpus_per_node"),
/// - any other scale;
/// among several of these the product of the others, then the one with most distinct values, then
/// the first in the alphabet. So a scale can vary while the remaining inputs are fixed.
///
/// Derived columns and columns that a flag names are never dependent.
std::vector<LeftOut> find_identities(const std::vector<ColumnPart>& parts);

/// The integer inputs that follow in steps from others, a scale among them, in every row: as
/// ceil(x / k) of one, or ceil(x) of a product x of up to three with powers 1 and -1. They remain
/// inputs, since the time may jump when they do. A step in one, two or three columns requires at
/// least 4, 6 or 8 distinct rows, and more than the column has values. The field `scale` of the
/// ties is empty.
std::vector<Tie> find_steps(const std::vector<ColumnPart>& parts);

}  // namespace perfmodel
