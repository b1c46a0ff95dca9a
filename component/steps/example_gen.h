#ifndef REKINDLE_COMPONENT_STEPS_EXAMPLE_GEN_H_
#define REKINDLE_COMPONENT_STEPS_EXAMPLE_GEN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/launch/step.h"

namespace rekindle {

struct ExampleGenOptions {
  // A CSV file, or a folder: then all its *.csv files, with one header.
  std::string input;
  // Cells that mean "missing", beside the empty cell.
  std::vector<std::string> null_values;
};

// Turns CSV rows into gzip TFRecords of tf.Example: a column of whole numbers
// becomes int64 features, one of numbers float features, any other bytes. Rows
// go to the splits `train` and `eval`, two to one, by a hash of their content,
// so that a row stays in its split when others come or go.
//
// Fills in the execution type, outputs and parameters of `spec`.
//
//   NOT_FOUND         there is no such file or folder, or no CSV file in it
absl::StatusOr<std::unique_ptr<Executor>> MakeExampleGen(
    const ExampleGenOptions& options, StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_EXAMPLE_GEN_H_
