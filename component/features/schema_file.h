#ifndef REKINDLE_COMPONENT_FEATURES_SCHEMA_FILE_H_
#define REKINDLE_COMPONENT_FEATURES_SCHEMA_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"

namespace rekindle {

// Parses a Schema (text proto); `name` stands for it in errors. Fields of newer
// versions of TensorFlow Metadata are passed over.
//
//   INVALID_ARGUMENT  it is not a Schema; where
absl::StatusOr<tensorflow::metadata::v0::Schema> ParseSchema(
    const std::string& text, const std::string& name);

// The strings a feature may hold, from its own or a shared domain; none when it
// has no string domain.
std::vector<std::string> SchemaWords(
    const tensorflow::metadata::v0::Schema& schema,
    const tensorflow::metadata::v0::Feature& feature);

// The integers a feature may hold, both ends included. A plain value.
struct IntegerRange {
  int64_t min = 0;
  int64_t max = -1;
};

// The int domain of a feature, its own or a shared one; null: none.
const tensorflow::metadata::v0::IntDomain* SchemaIntDomain(
    const tensorflow::metadata::v0::Schema& schema,
    const tensorflow::metadata::v0::Feature& feature);

// The bounds of a feature's int or bool domain, where it has both, and they
// hold no more than a model may tell apart.
std::optional<IntegerRange> SchemaRange(
    const tensorflow::metadata::v0::Schema& schema,
    const tensorflow::metadata::v0::Feature& feature);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_FEATURES_SCHEMA_FILE_H_
