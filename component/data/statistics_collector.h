#ifndef REKINDLE_COMPONENT_DATA_STATISTICS_COLLECTOR_H_
#define REKINDLE_COMPONENT_DATA_STATISTICS_COLLECTOR_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "component/data/feature_collector.h"
#include "component/records/example_walker.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {

// Statistics of serialized tf.Examples, as TensorFlow Data Validation computes
// them, in one pass. Thread-compatible.
class StatisticsCollector {
 public:
  //   DATA_LOSS            the record is not a tf.Example
  //   FAILED_PRECONDITION  a feature has another type than in earlier records
  absl::Status Add(absl::string_view record);

  // Adds all records of TFRecord files. `check_stop` is asked now and then, and
  // an error it returns ends the work; it may be empty. Errors as Add(), named
  // by their file, those of OpenTfRecordReader, and
  //
  //   INVALID_ARGUMENT  a record is empty
  absl::Status AddFiles(const std::vector<std::string>& files,
                        const std::function<absl::Status()>& check_stop);

  uint64_t examples() const { return examples_; }

  // Features sorted by name.
  tensorflow::metadata::v0::DatasetFeatureStatistics Finish() const;

 private:
  class Visitor;

  absl::flat_hash_map<std::string, FeatureCollector> features_;
  uint64_t examples_ = 0;
  ExampleWalker walker_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_STATISTICS_COLLECTOR_H_
