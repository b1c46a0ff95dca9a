// Internal to component/evaluation.
#ifndef REKINDLE_COMPONENT_EVALUATION_EXAMPLE_FIELDS_H_
#define REKINDLE_COMPONENT_EVALUATION_EXAMPLE_FIELDS_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "component/contract/slices.h"
#include "component/records/example_walker.h"

namespace rekindle {

// The values of some features of one tf.Example after the other.
// Thread-compatible; keep one and use it again.
class ExampleFields final : private ExampleVisitor {
 public:
  // `names` are the features to read.
  explicit ExampleFields(const std::set<std::string>& names);

  // Reads an example, in place of the one before.
  //
  //   DATA_LOSS  the bytes are not a tf.Example
  absl::Status Read(absl::string_view record);

  // The values that a feature has in the example; none if it is missing.
  // `name` must be one of those to read.
  const std::vector<FeatureValue>& Values(const std::string& name) const {
    return values_.at(name);
  }

  // Every feature that any example had, whether it is read or not.
  const std::set<std::string, std::less<>>& seen() const { return seen_; }

 private:
  void OnBytes(absl::string_view name,
               std::span<const absl::string_view> values) override;
  void OnFloats(absl::string_view name, std::span<const float> values) override;
  void OnInt64s(absl::string_view name,
                std::span<const int64_t> values) override;
  void OnNoValues(absl::string_view name) override;

  // Where the values of the feature go, emptied; null if it is not read.
  std::vector<FeatureValue>* Place(absl::string_view name);

  ExampleWalker walker_;
  std::map<std::string, std::vector<FeatureValue>, std::less<>> values_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_EVALUATION_EXAMPLE_FIELDS_H_
