#include "component/evaluation/example_fields.h"

namespace rekindle {

ExampleFields::ExampleFields(const std::set<std::string>& names) {
  for (const std::string& name : names) values_[name];
}

absl::Status ExampleFields::Read(absl::string_view record) {
  for (auto& [name, values] : values_) values.clear();
  return walker_.Walk(record, *this);
}

std::vector<FeatureValue>* ExampleFields::Place(absl::string_view name) {
  if (!seen_.contains(name)) seen_.emplace(name);
  const auto found = values_.find(name);
  if (found == values_.end()) return nullptr;
  found->second.clear();
  return &found->second;
}

void ExampleFields::OnBytes(absl::string_view name,
                            std::span<const absl::string_view> values) {
  std::vector<FeatureValue>* place = Place(name);
  if (place == nullptr) return;
  for (const absl::string_view value : values) {
    place->emplace_back(std::string(value));
  }
}

void ExampleFields::OnFloats(absl::string_view name,
                             std::span<const float> values) {
  if (std::vector<FeatureValue>* place = Place(name)) {
    place->assign(values.begin(), values.end());
  }
}

void ExampleFields::OnInt64s(absl::string_view name,
                             std::span<const int64_t> values) {
  if (std::vector<FeatureValue>* place = Place(name)) {
    place->assign(values.begin(), values.end());
  }
}

void ExampleFields::OnNoValues(absl::string_view name) { Place(name); }

}  // namespace rekindle
