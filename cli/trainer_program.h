#ifndef REKINDLE_CLI_TRAINER_PROGRAM_H_
#define REKINDLE_CLI_TRAINER_PROGRAM_H_

#include <string>

namespace rekindle {

// The trainer that was built with this program and stands beside it; its bare
// name if it does not.
std::string TrainerBesideUs();

// The folder of what runs users' modules in Python, which comes with this
// program; REKINDLE_PYTHON_LIB names another.
std::string PythonLibrary();

}  // namespace rekindle

#endif  // REKINDLE_CLI_TRAINER_PROGRAM_H_
