#ifndef REKINDLE_CLI_CACHE_CACHE_REASON_H_
#define REKINDLE_CLI_CACHE_CACHE_REASON_H_

#include <string>

#include "component/cache/cache_history.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// Why an execution computed its outputs or reused others, for people and for
// programs.
std::string ExplanationToText(const CacheExplanation& why);
nlohmann::json ExplanationToJson(const CacheExplanation& why);

}  // namespace rekindle

#endif  // REKINDLE_CLI_CACHE_CACHE_REASON_H_
