#ifndef REKINDLE_METADATA_API_VALUES_H_
#define REKINDLE_METADATA_API_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Short hands for the values of properties.

inline ml_metadata::Value IntValue(int64_t value) {
  ml_metadata::Value result;
  result.set_int_value(value);
  return result;
}

inline ml_metadata::Value DoubleValue(double value) {
  ml_metadata::Value result;
  result.set_double_value(value);
  return result;
}

inline ml_metadata::Value StringValue(absl::string_view value) {
  ml_metadata::Value result;
  result.set_string_value(std::string(value));
  return result;
}

// The custom property `name` of an artifact, execution or context, or nullptr.
// The pointer lives as long as `node` is not changed.
template <typename Node>
const ml_metadata::Value* FindCustomProperty(const Node& node,
                                             const std::string& name) {
  const auto found = node.custom_properties().find(name);
  return found == node.custom_properties().end() ? nullptr : &found->second;
}

// As FindCustomProperty, for a string; empty when absent or not a string.
template <typename Node>
std::string CustomString(const Node& node, const std::string& name) {
  const ml_metadata::Value* value = FindCustomProperty(node, name);
  return value == nullptr ? "" : value->string_value();
}

// As FindCustomProperty, for an integer; nullopt when absent or not one.
template <typename Node>
std::optional<int64_t> CustomInt(const Node& node, const std::string& name) {
  const ml_metadata::Value* value = FindCustomProperty(node, name);
  if (value == nullptr || !value->has_int_value()) return std::nullopt;
  return value->int_value();
}

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_VALUES_H_
