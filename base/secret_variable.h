#ifndef REKINDLE_BASE_SECRET_VARIABLE_H_
#define REKINDLE_BASE_SECRET_VARIABLE_H_

#include <optional>
#include <string>

namespace rekindle {

// Takes a variable out of this process's environment: children do not inherit
// it, and /proc/PID/environ no longer shows it. nullopt if it is not set, or
// empty. To be called while no other thread reads the environment.
std::optional<std::string> TakeSecretVariable(const char* name);

// Clears every variable of this process, in the same way.
void ClearEnvironment();

}  // namespace rekindle

#endif  // REKINDLE_BASE_SECRET_VARIABLE_H_
