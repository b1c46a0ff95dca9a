#ifndef REKINDLE_COMPONENT_STEPS_SCHEMA_INFERENCE_H_
#define REKINDLE_COMPONENT_STEPS_SCHEMA_INFERENCE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "component/records/example_walker.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"

namespace rekindle {

// Learns a Schema from serialized tf.Examples, as TensorFlow Data Validation
// infers one: a feature's type, in how many examples it is present, how many
// values it has, and, for strings with few distinct values, which ones.
// Thread-compatible.
class SchemaInference {
 public:
  // Strings with more distinct values than this get no domain.
  static constexpr size_t kMaxDomainValues = 400;

  //   DATA_LOSS            the record is not a tf.Example
  //   FAILED_PRECONDITION  a feature has another type than in earlier records
  absl::Status Add(absl::string_view record);

  int64_t examples() const { return examples_; }

  // Features and domains sorted by name.
  tensorflow::metadata::v0::Schema Infer() const;

 private:
  // What is known of one feature.
  struct Seen {
    tensorflow::metadata::v0::FeatureType type =
        tensorflow::metadata::v0::TYPE_UNKNOWN;
    int64_t present = 0;
    int64_t min_values = 0;
    int64_t max_values = 0;
    std::set<std::string> strings;  // up to one more than the limit
  };
  class Visitor;

  tensorflow::metadata::v0::Feature InferFeature(const std::string& name,
                                                 const Seen& seen) const;

  std::map<std::string, Seen> features_;
  int64_t examples_ = 0;
  ExampleWalker walker_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_SCHEMA_INFERENCE_H_
