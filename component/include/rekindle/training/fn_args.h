#ifndef REKINDLE_TRAINING_FN_ARGS_H_
#define REKINDLE_TRAINING_FN_ARGS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Takes a record; an error ends the reading, and is its result.
using RecordVisitor = std::function<absl::Status(absl::string_view record)>;

// How to read the files that FnArgs names.
struct DataAccessor {
  // Gives each record (a serialized tf.Example) of each file that matches
  // `patterns`, plain or gzip, in order of the files' names.
  //
  //   NOT_FOUND    no file matches one of the patterns
  //   DATA_LOSS    a file is damaged (which, and where)
  //   UNAVAILABLE  a file cannot be read
  std::function<absl::Status(const std::vector<std::string>& patterns,
                             const RecordVisitor& visit)>
      read_records;
};

// What a training step hands to a module's own run_fn: TFX's FnArgs, with its
// names, and should_stop. An absent value is nullopt or empty. A plain value.
struct FnArgs {
  std::string working_dir;  // a trainer has none
  // Patterns of TFRecord files: "<uri>/Split-train/*".
  std::vector<std::string> train_files;
  std::vector<std::string> eval_files;
  std::optional<int64_t> train_steps;
  std::optional<int64_t> eval_steps;
  std::string schema_path;
  std::string schema_file;  // the older name of schema_path
  std::string transform_graph_path;
  std::string transform_output;  // the older name of transform_graph_path
  DataAccessor data_accessor;
  // Where the SavedModel must be when run_fn returns.
  std::string serving_model_dir;
  std::string eval_model_dir;
  // For checkpoints and summaries; a retry finds what is in it.
  std::string model_run_dir;
  std::string base_model;       // a SavedModel's folder
  std::string hyperparameters;  // a JSON object, as text
  std::string custom_config;    // a JSON object, as text
  // Asked now and then: true when the step was told to stop. run_fn then saves
  // what a retry needs, and returns.
  std::function<bool()> should_stop;
};

}  // namespace rekindle

// What a module defines, in no namespace, to train in its own way. It must
// leave a SavedModel in serving_model_dir. An error ends the step.
//
//   absl::Status run_fn(const rekindle::FnArgs& fn_args) { ... }
extern "C" __attribute__((visibility("default"))) absl::Status run_fn(
    const rekindle::FnArgs& fn_args);

#endif  // REKINDLE_TRAINING_FN_ARGS_H_
