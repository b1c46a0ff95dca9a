// Internal to component/evaluation.
#ifndef REKINDLE_COMPONENT_EVALUATION_LABEL_CLASSES_H_
#define REKINDLE_COMPONENT_EVALUATION_LABEL_CLASSES_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/slices.h"

namespace rekindle {

// The names of a label's classes in the schema at `path`, in the order of its
// string domain; none if the path is empty or the label has no such domain.
//
//   NOT_FOUND, UNAVAILABLE  the file cannot be read
//   INVALID_ARGUMENT        it is not a schema, or has no such feature
absl::StatusOr<std::vector<std::string>> SchemaClasses(
    const std::string& path, const std::string& label_key);

// Numbers the classes of a label as a model does. Thread-compatible.
class LabelClasses {
 public:
  // `names` in the model's order; none: labels are the numbers themselves.
  LabelClasses(std::string label_key, std::vector<std::string> names,
               size_t count);

  const std::vector<std::string>& names() const { return names_; }

  // The number of the class that a label names.
  //
  //   INVALID_ARGUMENT  it names none
  absl::StatusOr<double> NumberOf(const FeatureValue& label) const;

 private:
  absl::Status Unknown(const FeatureValue& label) const;

  const std::string label_key_;
  const std::vector<std::string> names_;
  const size_t count_;
  std::map<std::string, size_t> numbers_;  // by name
};

// A label that is a number.
//
//   INVALID_ARGUMENT  it is text
absl::StatusOr<double> NumberOf(const std::string& label_key,
                                const FeatureValue& label);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_EVALUATION_LABEL_CLASSES_H_
