#include "base/json_depth.h"

#include <cstddef>

#include "absl/strings/string_view.h"

namespace rekindle {

bool JsonIsTooDeep(absl::string_view text) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace rekindle
