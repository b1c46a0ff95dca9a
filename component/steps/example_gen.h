#ifndef REKINDLE_COMPONENT_STEPS_EXAMPLE_GEN_H_
#define REKINDLE_COMPONENT_STEPS_EXAMPLE_GEN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/data/input_files.h"
#include "component/data/input_format.h"
#include "component/data/partition.h"
#include "component/launch/step.h"

namespace rekindle {

struct ExampleGenOptions {
  // A file, a folder or a pattern; with `input_splits`, the folder that their
  // patterns are relative to.
  std::string input;
  // The input is split already: these are the splits. Empty: it is one.
  std::vector<InputSplit> input_splits;
  std::optional<InputFormat> format;  // nullopt: as the names say
  SpanChoice span;
  // How the rows are divided; empty: two to one, into `train` and `eval`.
  std::vector<SplitShare> splits;
  // The feature that decides, by its hash, the split; empty: the whole row.
  std::string partition_feature;
  // Cells of CSV that mean "missing", beside the empty cell.
  std::vector<std::string> null_values;
  // Told how far it is, in bytes read, and, by 0 of 0, that it has ended. May
  // be empty.
  std::function<void(int64_t done, int64_t total)> on_progress;
};

// Turns CSV or TFRecord files into gzip TFRecords of tf.Example, in splits: the
// ones that the input has, or by hash, as Partition does. The records are those
// of TFX's CsvExampleGen or ImportExampleGen.
//
// Fills in the execution type, outputs and parameters of `spec`, and its node
// id if that is empty.
//
//   INVALID_ARGUMENT     the options do not go together, or a pattern is wrong
//   NOT_FOUND            there are no such files
//   FAILED_PRECONDITION  the splits of the input are not of one span
absl::StatusOr<std::unique_ptr<Executor>> MakeExampleGen(
    const ExampleGenOptions& options, StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_EXAMPLE_GEN_H_
