#ifndef REKINDLE_COMPONENT_RESOLVE_BEST_METRIC_H_
#define REKINDLE_COMPONENT_RESOLVE_BEST_METRIC_H_

#include <string>

#include "component/resolve/artifact_ref.h"
#include "component/resolve/strategy.h"

namespace rekindle {

// The artifact whose custom property `metric`, a number, is highest or lowest;
// of equal ones the highest id. One without the property, or with NaN, is never
// taken.
Strategy BestMetric(std::string metric, ArtifactRef::Direction direction);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_BEST_METRIC_H_
