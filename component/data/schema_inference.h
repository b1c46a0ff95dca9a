#ifndef REKINDLE_COMPONENT_DATA_SCHEMA_INFERENCE_H_
#define REKINDLE_COMPONENT_DATA_SCHEMA_INFERENCE_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {

struct SchemaInferenceOptions {
  // A feature that always has the same number of values gets a shape; without
  // this, the number of its values only.
  bool infer_feature_shape = true;
  // Strings with more distinct values than this get no domain; as in TFDV.
  size_t max_domain_values = 100;
};

// Infers a schema from the statistics of the splits of a dataset, by the rules
// of TensorFlow Data Validation: a feature's type, in how many examples it is
// present, how many values it has; for strings with few distinct values, which
// ones; for numbers and strings that say no more than yes or no, that they do.
// A feature without any value is left out. Features and domains are sorted by
// name.
//
//   FAILED_PRECONDITION  a feature has another type in another split, or there
//                        are no examples
absl::StatusOr<tensorflow::metadata::v0::Schema> InferSchema(
    const std::vector<tensorflow::metadata::v0::DatasetFeatureStatistics>&
        splits,
    const SchemaInferenceOptions& options = {});

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_SCHEMA_INFERENCE_H_
