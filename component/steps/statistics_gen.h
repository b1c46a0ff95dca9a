#ifndef REKINDLE_COMPONENT_STEPS_STATISTICS_GEN_H_
#define REKINDLE_COMPONENT_STEPS_STATISTICS_GEN_H_

#include <memory>
#include <string>
#include <vector>

#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"

namespace rekindle {

struct StatisticsGenOptions {
  ArtifactRef examples;
  std::vector<std::string> exclude_splits;
};

// Computes statistics of each split of examples and writes them as TFX's
// StatisticsGen does: `Split-<name>/FeatureStats.pb`, a serialized
// DatasetFeatureStatisticsList. Fills in the execution type, inputs, outputs
// and parameters of `spec`.
std::unique_ptr<Executor> MakeStatisticsGen(const StatisticsGenOptions& options,
                                            StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_STATISTICS_GEN_H_
