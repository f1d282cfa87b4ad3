#pragma once

#include <Eigen/Core>

#include "analysis/plan/information.hpp"
#include "analysis/sweep.hpp"
#include "perfmodel/analysis/compare/comparison.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "pipeline/shared/task_share.hpp"
#include "trust/cross_validation.hpp"

namespace perfmodel {

/// Numbers are read as they were written, to the last bit.
TaskCodec<Eigen::VectorXd> numbers_codec();
/// What the spread over fits is computed from; not all of a model is in its document.
TaskCodec<FittedModel> model_codec();
TaskCodec<HeldOutFold> fold_codec();
TaskCodec<SweepPoint> point_codec();
TaskCodec<ModelScore> score_codec();
TaskCodec<plan::PlanStart> plan_codec();

}  // namespace perfmodel
