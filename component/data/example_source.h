#ifndef REKINDLE_COMPONENT_DATA_EXAMPLE_SOURCE_H_
#define REKINDLE_COMPONENT_DATA_EXAMPLE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "component/data/csv_columns.h"
#include "component/data/input_files.h"

namespace rekindle {

// An example on its way from the input into a split. Borrowed for the call.
struct SourcedExample {
  size_t input_split = 0;    // the index of the split that its file is in
  absl::string_view record;  // a tf.Example, serialized deterministically
  // What decides, by its hash, the split: the example as TFX would write it, or
  // the feature that was chosen for it.
  absl::string_view partition_key;
};

// How the examples of the input are read.
struct ExampleSourceOptions {
  CsvColumns::NullValues null_values;  // of CSV
  // The feature whose hash decides the split; empty: the whole example's.
  std::string partition_feature;
  // Told now and then how many bytes of how many are read; an error it returns
  // ends the reading.
  std::function<absl::Status(int64_t done, int64_t total)> on_progress;
};

// Turns input files into examples. Thread-compatible.
class ExampleSource {
 public:
  using Sink = std::function<absl::Status(const SourcedExample& example)>;
  virtual ~ExampleSource() = default;

  // Gives every example to `sink`, in the order of the files. An error of
  // `sink` or `on_progress` ends it.
  //
  //   INVALID_ARGUMENT  the text is no CSV, or there are no examples, or one
  //                     has no feature to decide its split; the message names
  //                     file and place
  //   DATA_LOSS         a file is damaged
  //   UNAVAILABLE       it cannot be read
  virtual absl::Status Read(const Sink& sink) = 0;
};

// From CSV, plain or gzip: a column of whole numbers becomes int64 features,
// one of numbers float features, any other bytes. Reads the files twice, first
// to learn the columns' kinds; all must have one header.
std::unique_ptr<ExampleSource> MakeCsvSource(InputFiles input,
                                             ExampleSourceOptions options);

// From TFRecord files of tf.Example, plain or gzip.
std::unique_ptr<ExampleSource> MakeTfRecordSource(InputFiles input,
                                                  ExampleSourceOptions options);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_EXAMPLE_SOURCE_H_
