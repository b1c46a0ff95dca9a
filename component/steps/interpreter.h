#ifndef REKINDLE_COMPONENT_STEPS_INTERPRETER_H_
#define REKINDLE_COMPONENT_STEPS_INTERPRETER_H_

#include <string>

#include "absl/status/statusor.h"

namespace rekindle {

// What to tell whoever named a Python interpreter that cannot be started.
inline constexpr char kNamesInterpreter[] =
    "--python or REKINDLE_PYTHON names the interpreter; in a container, use "
    "the image rekindle:trainer-python";

// What a Python interpreter says of itself.
struct Interpreter {
  std::string python;      // its version
  std::string tensorflow;  // the version of its TensorFlow; empty: it has none
  std::string packages;    // a digest over all that is installed
};

// Asks the interpreter `python`, a path or found in PATH, by way of the
// run_module.py in the folder `library`. It imports nothing, and so takes a
// tenth of a second. Each error has the reason CHILD_CANNOT_START:
//
//   NOT_FOUND, PERMISSION_DENIED  there is no such program
//   FAILED_PRECONDITION           it is no Python that could run our files
absl::StatusOr<Interpreter> DescribeInterpreter(const std::string& python,
                                                const std::string& library);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_INTERPRETER_H_
