#ifndef REKINDLE_TESTS_BENCH_TRAINING_DATA_H_
#define REKINDLE_TESTS_BENCH_TRAINING_DATA_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/features/feature_spec.h"

namespace rekindle {

// The data sets of tests/bench/training_bench, which its Python side knows too:
//   penguin   4 numbers, an integer, 2 words; 3 classes by name
//   wide      13 numbers, 26 words by hash; 2 classes by number
//
//   NOT_FOUND  there is no such data set
absl::StatusOr<FeatureSpec> BenchFeatures(const std::string& kind);

// Writes `rows` random examples as `files` gzip TFRecord files into `folder`.
absl::Status WriteBenchData(const std::string& kind, int64_t rows, int files,
                            const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_BENCH_TRAINING_DATA_H_
