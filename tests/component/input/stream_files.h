#ifndef REKINDLE_TESTS_COMPONENT_INPUT_STREAM_FILES_H_
#define REKINDLE_TESTS_COMPONENT_INPUT_STREAM_FILES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "component/features/feature_spec.h"
#include "component/records/tfrecord_writer.h"
#include "rekindle/training/dataset.h"
#include "rekindle/training/experiment_config.h"
#include "tests/support/temp_dir.h"

namespace rekindle {

// TFRecord files of random examples with every kind of feature. The label of an
// example is its number, from 0 on over all files: it tells it from all others.
class StreamFiles {
 public:
  // Writes a file of each size; every other one is compressed.
  explicit StreamFiles(const std::vector<int>& sizes);

  const FeatureSpec& features() const { return features_; }
  // All examples as they were written.
  const std::vector<std::string>& records() const { return records_; }
  std::string path(size_t file) const;

  // For all files; batches of 4.
  DataConfig Config(bool is_training) const;

 private:
  void Write(int examples, TfRecordCompression compression,
             const std::string& path);

  TempDir folder_;
  FeatureSpec features_;
  std::vector<std::string> records_;
};

// How a test opens a stream, beside its configuration.
struct StreamOptions {
  InputContext context = {};
  uint64_t seed = 1;
  bool may_cache = true;
  bool serialized = false;
};

// Opens a stream; aborts when it cannot.
std::unique_ptr<Dataset> OpenStream(const StreamFiles& files,
                                    const DataConfig& data,
                                    const StreamOptions& options = {});

// The next batch; nullopt after the last, or after an error, which fails the
// test.
std::optional<Batch> NextBatch(Dataset& dataset);

// The numbers of a batch's examples.
std::vector<int> NumbersOf(const Batch& batch);

// The next `batches` batches' numbers, one after the other; -1: all there are.
std::vector<int> ReadNumbers(Dataset& dataset, int batches = -1);

bool SameBatch(const Batch& a, const Batch& b);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_COMPONENT_INPUT_STREAM_FILES_H_
