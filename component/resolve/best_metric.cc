#include "component/resolve/best_metric.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/strategy.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

absl::StatusOr<double> Measured(const ml_metadata::Artifact& artifact,
                                const std::string& metric) {
  const ml_metadata::Value* value = FindCustomProperty(artifact, metric);
  if (value == nullptr) {
    return absl::NotFoundError(absl::StrCat("it has no '", metric, "'"));
  }
  if (value->has_int_value()) return static_cast<double>(value->int_value());
  if (!value->has_double_value() || std::isnan(value->double_value())) {
    return absl::InvalidArgumentError(
        absl::StrCat("its '", metric, "' is not a number"));
  }
  return value->double_value();
}

}  // namespace

Strategy BestMetric(std::string metric, ArtifactRef::Direction direction) {
  Strategy strategy;
  strategy.order = Strategy::Order::kRankDescending;
  const double sign = direction == ArtifactRef::Direction::kMax ? 1 : -1;
  strategy.rank =
      [metric,
       sign](const ml_metadata::Artifact& artifact) -> absl::StatusOr<Rank> {
    RK_ASSIGN_OR_RETURN(const double value, Measured(artifact, metric));
    return Rank{sign * value, artifact.id()};
  };
  strategy.consider = [metric = std::move(metric)](
                          const ml_metadata::Artifact& next,
                          const Strategy::Artifacts& taken) {
    if (!taken.empty()) return Opinion::Enough();
    const double value = Measured(next, metric).value_or(0);
    return Opinion::Take(absl::StrFormat("its '%s' is %.6g", metric, value));
  };
  return strategy;
}

}  // namespace rekindle
