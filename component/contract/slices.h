#ifndef REKINDLE_COMPONENT_CONTRACT_SLICES_H_
#define REKINDLE_COMPONENT_CONTRACT_SLICES_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// One value of a tf.Example's feature: bytes, an integer or a float.
using FeatureValue = std::variant<std::string, int64_t, float>;

// "Biscoe", "2007", "0.5".
std::string FeatureValueText(const FeatureValue& value);

// What the examples of a slice have in common, sorted by feature; empty: all
// examples are in it.
struct SliceValue {
  std::string feature;
  FeatureValue value;

  bool operator==(const SliceValue&) const = default;
  auto operator<=>(const SliceValue&) const = default;
};
using SliceKey = std::vector<SliceValue>;

// "island=Biscoe,sex=MALE"; "all examples" for the slice that holds them all.
std::string SliceKeyText(const SliceKey& key);

// Which slices to measure: one for each value, or combination of values, that
// the features have in the data, and of others only the values given.
struct SliceSpec {
  std::vector<std::string> features;
  // By feature, as text: a number stands for itself as a number too.
  std::map<std::string, std::string> values;

  bool operator==(const SliceSpec&) const = default;
};

// Whether a slice is one of those that `spec` asks for.
bool IsSliceOf(const SliceSpec& spec, const SliceKey& key);

// Whether `value` is what `text` says.
bool HasText(const FeatureValue& value, const std::string& text);

// {"features": [...], "values": {...}}, and a list of {"feature", and one of
// "bytes", "int64" and "float"}.
nlohmann::json ToJson(const SliceSpec& spec);
nlohmann::json ToJson(const SliceKey& key);

// INVALID_ARGUMENT  a key is unknown, missing or of the wrong type
absl::Status ParseSliceSpec(const nlohmann::json& json, SliceSpec* spec);
absl::Status ParseSliceValue(const nlohmann::json& json, SliceKey* key);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_SLICES_H_
