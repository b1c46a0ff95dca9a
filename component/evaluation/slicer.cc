#include "component/evaluation/slicer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <variant>

namespace rekindle {
namespace {

using Wanted = std::function<bool(const FeatureValue&)>;

bool IsNan(const FeatureValue& value) {
  const float* number = std::get_if<float>(&value);
  return number != nullptr && std::isnan(*number);
}

bool AnyValue(const FeatureValue& value) { return !IsNan(value); }

// The features of a spec, sorted by name, with the values that are wanted.
std::map<std::string, Wanted> WantedOf(const SliceSpec& spec) {
  std::map<std::string, Wanted> wanted;
  for (const std::string& feature : spec.features) wanted[feature] = AnyValue;
  for (const auto& [feature, text] : spec.values) {
    wanted[feature] = [text = text](const FeatureValue& value) {
      return HasText(value, text);
    };
  }
  return wanted;
}

// Each of `keys` with each wanted value of the feature behind it.
std::vector<SliceKey> Crossed(const std::vector<SliceKey>& keys,
                              const std::string& feature,
                              const std::vector<FeatureValue>& values,
                              const Wanted& wanted) {
  std::vector<SliceKey> crossed;
  for (const SliceKey& key : keys) {
    for (const FeatureValue& value : values) {
      if (!wanted(value)) continue;
      crossed.push_back(key);
      crossed.back().push_back({feature, value});
    }
  }
  return crossed;
}

}  // namespace

std::set<std::string> SliceFeatures(const std::vector<SliceSpec>& specs) {
  std::set<std::string> features;
  for (const SliceSpec& spec : specs) {
    features.insert(spec.features.begin(), spec.features.end());
    for (const auto& [feature, text] : spec.values) features.insert(feature);
  }
  return features;
}

std::vector<SliceKey> SlicesOf(const std::vector<SliceSpec>& specs,
                               const ExampleFields& fields) {
  std::vector<SliceKey> slices = {SliceKey{}};
  for (const SliceSpec& spec : specs) {
    std::vector<SliceKey> keys = {SliceKey{}};
    for (const auto& [feature, wanted] : WantedOf(spec)) {
      keys = Crossed(keys, feature, fields.Values(feature), wanted);
    }
    for (SliceKey& key : keys) {
      if (std::find(slices.begin(), slices.end(), key) == slices.end()) {
        slices.push_back(std::move(key));
      }
    }
  }
  return slices;
}

}  // namespace rekindle
