#ifndef REKINDLE_BASE_NAME_SUFFIX_H_
#define REKINDLE_BASE_NAME_SUFFIX_H_

#include <string>

namespace rekindle {

// Five letters or digits, as Kubernetes adds them to a generateName: without
// what can be misread or spells words. Thread-safe.
std::string RandomNameSuffix();

}  // namespace rekindle

#endif  // REKINDLE_BASE_NAME_SUFFIX_H_
