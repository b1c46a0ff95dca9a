#include "component/steps/schema_inference.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/records/example_walker.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"

namespace rekindle {

namespace tfmd = tensorflow::metadata::v0;

// Feeds what the walker finds into `features_`.
class SchemaInference::Visitor : public ExampleVisitor {
 public:
  explicit Visitor(SchemaInference& owner) : owner_(owner) {}

  void OnBytes(absl::string_view name,
               std::span<const absl::string_view> values) override {
    Seen& seen = Note(name, tfmd::BYTES, values.size());
    for (const absl::string_view value : values) {
      if (seen.strings.size() > kMaxDomainValues) break;
      seen.strings.insert(std::string(value));
    }
  }
  void OnFloats(absl::string_view name,
                std::span<const float> values) override {
    Note(name, tfmd::FLOAT, values.size());
  }
  void OnInt64s(absl::string_view name,
                std::span<const int64_t> values) override {
    Note(name, tfmd::INT, values.size());
  }
  void OnNoValues(absl::string_view name) override {
    owner_.features_.try_emplace(std::string(name));
  }

  const absl::Status& status() const { return status_; }

 private:
  Seen& Note(absl::string_view name, tfmd::FeatureType type, size_t values) {
    Seen& seen = owner_.features_[std::string(name)];
    const auto count = static_cast<int64_t>(values);
    if (count == 0) return seen;  // An empty list is a missing feature.
    if (seen.present == 0) {
      seen.type = type;
      seen.min_values = count;
    } else if (seen.type != type) {
      status_ = absl::FailedPreconditionError(absl::StrCat(
          "feature '", name, "' is ", tfmd::FeatureType_Name(seen.type),
          " in some examples and ", tfmd::FeatureType_Name(type),
          " in others; a feature must have one type"));
    }
    ++seen.present;
    seen.min_values = std::min(seen.min_values, count);
    seen.max_values = std::max(seen.max_values, count);
    return seen;
  }

  SchemaInference& owner_;
  absl::Status status_;
};

absl::Status SchemaInference::Add(absl::string_view record) {
  Visitor visitor(*this);
  RK_RETURN_IF_ERROR(walker_.Walk(record, visitor));
  ++examples_;
  return visitor.status();
}

tfmd::Feature SchemaInference::InferFeature(const std::string& name,
                                            const Seen& seen) const {
  tfmd::Feature feature;
  feature.set_name(name);
  feature.set_type(seen.type);
  const bool always = seen.present == examples_;
  if (always) feature.mutable_presence()->set_min_fraction(1.0);
  feature.mutable_presence()->set_min_count(1);
  if (always && seen.min_values == seen.max_values) {
    feature.mutable_shape()->add_dim()->set_size(seen.max_values);
  } else {
    feature.mutable_value_count()->set_min(seen.min_values);
    feature.mutable_value_count()->set_max(seen.max_values);
  }
  return feature;
}

tfmd::Schema SchemaInference::Infer() const {
  tfmd::Schema schema;
  for (const auto& [name, seen] : features_) {
    if (seen.present == 0) continue;  // Nothing is known of it.
    tfmd::Feature& feature = *schema.add_feature();
    feature = InferFeature(name, seen);
    if (seen.type != tfmd::BYTES || seen.strings.size() > kMaxDomainValues) {
      continue;
    }
    feature.set_domain(name);
    tfmd::StringDomain& domain = *schema.add_string_domain();
    domain.set_name(name);
    domain.mutable_value()->Assign(seen.strings.begin(), seen.strings.end());
  }
  return schema;
}

}  // namespace rekindle
