#include "component/data/statistics_collector.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/data/feature_collector.h"
#include "component/records/example_walker.h"
#include "component/records/tfrecord_reader.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;

constexpr uint64_t kExamplesBetweenChecks = 4096;

// It would count as an example that lacks every feature.
absl::Status EmptyRecord(const std::string& file, uint64_t offset) {
  return absl::InvalidArgumentError(
      absl::StrCat(file, ": record at offset ", offset,
                   " is empty, an example without any feature; leave it out"));
}

}  // namespace

// Feeds what the walker finds into `features_`, and keeps the first error.
class StatisticsCollector::Visitor : public ExampleVisitor {
 public:
  explicit Visitor(StatisticsCollector& owner) : owner_(owner) {}

  void OnBytes(absl::string_view name,
               std::span<const absl::string_view> values) override {
    Note(name, Find(name).AddStrings(values));
  }
  void OnFloats(absl::string_view name,
                std::span<const float> values) override {
    Note(name, Find(name).AddFloats(values));
  }
  void OnInt64s(absl::string_view name,
                std::span<const int64_t> values) override {
    Note(name, Find(name).AddInts(values));
  }
  void OnNoValues(absl::string_view name) override { Find(name); }

  const absl::Status& status() const { return status_; }

 private:
  FeatureCollector& Find(absl::string_view name) {
    const auto found = owner_.features_.find(name);
    if (found != owner_.features_.end()) return found->second;
    return owner_.features_[std::string(name)];
  }

  void Note(absl::string_view name, const absl::Status& added) {
    if (added.ok()) return;
    status_.Update(absl::Status(
        added.code(), absl::StrCat("feature '", name, "' ", added.message())));
  }

  StatisticsCollector& owner_;
  absl::Status status_;
};

absl::Status StatisticsCollector::Add(absl::string_view record) {
  Visitor visitor(*this);
  RK_RETURN_IF_ERROR(walker_.Walk(record, visitor));
  ++examples_;
  return visitor.status();
}

absl::Status StatisticsCollector::AddFiles(
    const std::vector<std::string>& files,
    const std::function<absl::Status()>& check_stop) {
  for (const std::string& file : files) {
    RK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecordReader(file));
    while (true) {
      const uint64_t offset = reader->offset();
      RK_ASSIGN_OR_RETURN(const std::optional<absl::string_view> record,
                          reader->Next());
      if (!record.has_value()) break;
      if (record->empty()) return EmptyRecord(file, offset);
      if (absl::Status added = Add(*record); !added.ok()) {
        return WithContext(added, file);
      }
      if (check_stop != nullptr && examples_ % kExamplesBetweenChecks == 0) {
        RK_RETURN_IF_ERROR(check_stop());
      }
    }
  }
  return absl::OkStatus();
}

tfmd::DatasetFeatureStatistics StatisticsCollector::Finish() const {
  tfmd::DatasetFeatureStatistics dataset;
  dataset.set_num_examples(examples_);
  std::map<absl::string_view, const FeatureCollector*> by_name;
  for (const auto& [name, feature] : features_) by_name[name] = &feature;
  for (const auto& [name, feature] : by_name) {
    *dataset.add_features() = feature->Finish(std::string(name), examples_);
  }
  return dataset;
}

}  // namespace rekindle
