#ifndef REKINDLE_TESTS_COMPONENT_TRAINING_TRAINING_DATA_H_
#define REKINDLE_TESTS_COMPONENT_TRAINING_TRAINING_DATA_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "component/contract/executor_input.h"
#include "tensorflow/core/example/example.pb.h"

namespace rekindle {

// The schema of what MakeExample makes.
inline constexpr char kTrainingSchema[] = R"(
  feature { name: "length" type: FLOAT }
  feature { name: "mass" type: INT }
  feature { name: "island" type: BYTES domain: "island" }
  feature {
    name: "species"
    type: BYTES
    string_domain { value: "adelie" value: "chinstrap" value: "gentoo" }
  }
  feature { name: "comment" type: BYTES }
  string_domain { name: "island" value: "biscoe" value: "dream" }
)";

// Example `number` of a made-up data set of three classes that are easy to
// tell apart. Some features of some examples are missing.
tensorflow::Example MakeExample(int number);

// Changes an example before it is written.
using ExampleEdit = std::function<void(int number, tensorflow::Example*)>;

// Writes the examples first ... first + count - 1 as a gzip TFRecord file.
void WriteExamples(const std::string& path, int first, int count,
                   const ExampleEdit& edit = nullptr);

void WriteText(const std::string& path, const std::string& text);

// Writes the splits train (90 examples) and eval (60) and the schema into
// `folder`; returns an input that trains on them for 60 steps. Outputs go to
// `folder`/`run`.
ExecutorInput MakeTrainingInput(const std::string& folder,
                                const std::string& run);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_COMPONENT_TRAINING_TRAINING_DATA_H_
