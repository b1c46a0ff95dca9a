#ifndef REKINDLE_BASE_JSON_DEPTH_H_
#define REKINDLE_BASE_JSON_DEPTH_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace rekindle {

// The deepest JSON that is read: whoever copies or walks a value recurses.
inline constexpr size_t kDeepestJson = 100;

// Whether lists and objects of the JSON text are nested over kDeepestJson deep.
// To be asked before a text of somebody else is parsed.
bool JsonIsTooDeep(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_BASE_JSON_DEPTH_H_
