#pragma once

#include <array>
#include <optional>
#include <vector>

#include "optimise/evolution/scheme.hpp"

namespace perfmodel::optimise {

/// L-SHADE (Tanabe and Fukunaga 2014), with the settings of that paper.
class SuccessHistory : public Scheme {
 public:
  void begin_generation(const Population& population, RandomStream& random) override;
  Controls choose_controls(const Population& population, std::size_t target,
                           RandomStream& random) override;
  void mutate(const Population& population, std::size_t target, double differential_weight,
              RandomStream& random, Column mutant) override;
  Repair repair() const override { return Repair::halve; }
  void learn(const Population& population, std::size_t target, const Controls& made_with,
             double trial_cost, RandomStream& random) override;
  void end_generation() override;
  std::size_t population_size(std::size_t initial, double used) const override;

 private:
  /// Where F and CR are drawn around. No crossover rate: it ended at 0 and stays there.
  struct Memory {
    double differential_weight = 0.5;
    std::optional<double> crossover_rate = 0.5;
  };
  struct Success {
    Controls made_with;
    double improvement = 0;
  };

  std::array<Memory, 6> memories_;
  std::size_t next_memory_ = 0;
  std::vector<Success> successes_;
  /// Members that were beaten, one per column.
  std::vector<Eigen::VectorXd> archive_;
  std::size_t archive_capacity_ = 0;
  /// The population's best indices; a mutant is drawn towards one of them.
  std::vector<std::size_t> guides_;
};

}  // namespace perfmodel::optimise
