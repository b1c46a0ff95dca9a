#ifndef REKINDLE_COMPONENT_DATA_FEATURE_COLLECTOR_H_
#define REKINDLE_COMPONENT_DATA_FEATURE_COLLECTOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "component/data/quantile_sketch.h"
#include "component/data/value_counts.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {

// What is known of one feature of many examples, value by value, in bounded
// memory. A list without values is a missing feature. Thread-compatible.
class FeatureCollector {
 public:
  using Type = tensorflow::metadata::v0::FeatureNameStatistics::Type;

  // The values of one example. The feature must always be of one kind.
  //
  //   FAILED_PRECONDITION  it was of another one before
  absl::Status AddInts(std::span<const int64_t> values);
  absl::Status AddFloats(std::span<const float> values);
  absl::Status AddStrings(std::span<const absl::string_view> values);

  // The statistics, of `examples` that were looked at.
  tensorflow::metadata::v0::FeatureNameStatistics Finish(
      const std::string& name, uint64_t examples) const;

 private:
  // Notes that an example has so many values of that kind.
  absl::Status Note(Type type, size_t values);
  void AddNumber(double value);

  tensorflow::metadata::v0::CommonStatistics Common(uint64_t examples) const;
  tensorflow::metadata::v0::NumericStatistics Numeric(uint64_t examples) const;
  tensorflow::metadata::v0::StringStatistics Strings(uint64_t examples) const;

  Type type_ = tensorflow::metadata::v0::FeatureNameStatistics::INT;
  uint64_t present_ = 0;  // examples with values
  uint64_t values_ = 0;
  QuantileSketch lengths_;  // how many values an example has

  // Of numbers; NaNs are only counted.
  QuantileSketch numbers_;
  double sum_ = 0;
  double mean_ = 0;        // of the finite ones, as it goes along
  double deviations_ = 0;  // from it, squared
  uint64_t finite_ = 0;
  uint64_t zeros_ = 0;
  uint64_t nans_ = 0;

  // Of strings.
  ValueCounts counts_;
  uint64_t bytes_ = 0;
  uint64_t invalid_utf8_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_FEATURE_COLLECTOR_H_
