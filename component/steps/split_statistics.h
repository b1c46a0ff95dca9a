#ifndef REKINDLE_COMPONENT_STEPS_SPLIT_STATISTICS_H_
#define REKINDLE_COMPONENT_STEPS_SPLIT_STATISTICS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {

// The statistics of one split.
struct SplitStatistics {
  std::string split;
  tensorflow::metadata::v0::DatasetFeatureStatistics statistics;
};

// The splits of an artifact without those to be left out.
//
//   FAILED_PRECONDITION  it has none, or its split_names cannot be read
//   INVALID_ARGUMENT     one of `excluded` is not among them, or all are
absl::StatusOr<std::vector<std::string>> SplitsWithout(
    const ml_metadata::Artifact& artifact,
    const std::vector<std::string>& excluded);

// Computes the statistics of these splits of an Examples artifact, several at a
// time. `check_stop` is called from several threads, now and then; an error of
// it ends the work. Other errors as StatisticsCollector::AddFiles.
absl::StatusOr<std::vector<SplitStatistics>> ComputeStatistics(
    const ml_metadata::Artifact& examples,
    const std::vector<std::string>& splits,
    const std::function<absl::Status()>& check_stop);

// Writes the statistics of a split below `folder`, and reads those of an
// ExampleStatistics artifact: `FeatureStats.pb`, as TFX has it.
//
//   NOT_FOUND  there is no such file
//   DATA_LOSS  it is no DatasetFeatureStatisticsList with one dataset
absl::Status WriteStatistics(const SplitStatistics& statistics,
                             const std::string& folder);
absl::StatusOr<SplitStatistics> ReadStatistics(
    const ml_metadata::Artifact& statistics, const std::string& split);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_SPLIT_STATISTICS_H_
