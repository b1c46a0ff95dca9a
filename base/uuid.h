#ifndef REKINDLE_BASE_UUID_H_
#define REKINDLE_BASE_UUID_H_

#include <string>

namespace rekindle {

// A random (version 4) UUID, as TFX names its executions.
std::string RandomUuid();

}  // namespace rekindle

#endif  // REKINDLE_BASE_UUID_H_
