#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// What is asked of rows that are spread over processes: sums over them at scaled constants `at`,
/// and for absolute losses some of the rows themselves.
struct Question {
  enum class What : std::uint8_t {
    stop,          ///< nothing more will be asked
    loss,          ///< of all runs: absolute or squared
    square_sums,   ///< SquareSums for the factor `more`
    idle_slopes,   ///< IdleSlopes; of an absolute loss with the pulls `more` of `rows`
    curvature,     ///< J'WJ and J'WSSJ, `more` being the sparsity of the residuals
    effects,       ///< of each constant on the cost, without signs
    near_kink,     ///< which rows are nearer than more[0], columns being as the rest of `more`
    wrong_sign,    ///< the cost of the linear rows after a step `more`, and which have changed sign
    residuals,     ///< of `rows`
    pull_of_signs  ///< derivative of the cost without `rows`
  };
  What what = What::stop;
  Eigen::VectorXd at;
  Eigen::VectorXd more;
  std::vector<Eigen::Index> rows;

  std::string bytes() const;
  static Question read(std::string_view bytes);
};

/// A row of a problem of least absolute deviations that keeps its kink.
struct KinkRow {
  Eigen::Index id = 0;  ///< among all rows, wherever they are
  double residual = 0;
  double weight = 0;
  Eigen::Index level = -1;  ///< of the column of many levels, where there is one
  double of_level = 0;
  Eigen::VectorXd others;
};

/// Of one block of rows, or of several added up.
struct Answer {
  Eigen::VectorXd sums;  ///< empty where there is no row
  std::vector<KinkRow> rows;

  /// What the next block says.
  void add(Answer next);
};

std::string bytes_of(const std::vector<Answer>& answers);
std::vector<Answer> answers_of(std::string_view bytes);

}  // namespace perfmodel
