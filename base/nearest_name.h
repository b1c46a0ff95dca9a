#ifndef REKINDLE_BASE_NEAREST_NAME_H_
#define REKINDLE_BASE_NEAREST_NAME_H_

#include <optional>
#include <string>
#include <vector>

namespace rekindle {

// The name a person most likely meant by `typed`: the one with the smallest
// edit distance, if that is at most half its length.
std::optional<std::string> NearestName(const std::string& typed,
                                       const std::vector<std::string>& names);

}  // namespace rekindle

#endif  // REKINDLE_BASE_NEAREST_NAME_H_
