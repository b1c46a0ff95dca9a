#include "metadata/server/json_shape.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

// Where the string ends that begins at `quote`; the text's end if it does not.
size_t EndOfString(absl::string_view text, size_t quote) {
  size_t i = quote + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return i;
}

absl::Status TooMuch(absl::string_view what, int limit,
                     absl::string_view instead) {
  return absl::InvalidArgumentError(
      absl::StrCat("the body has more than ", limit, " ", what, "; ", instead));
}

}  // namespace

absl::Status CheckJsonShape(absl::string_view text) {
  int depth = 0;
  int values = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        i = EndOfString(text, i);
        break;
      case '[':
      case '{':
        ++depth;
        ++values;
        break;
      case ',':
        ++values;
        break;
      case ']':
      case '}':
        --depth;
        break;
      default:
        continue;
    }
    if (depth > kMaxJsonDepth) {
      return TooMuch("levels", kMaxJsonDepth, "nest less");
    }
    if (values > kMaxJsonValues) {
      return TooMuch("values", kMaxJsonValues, "send it in parts");
    }
  }
  return absl::OkStatus();
}

}  // namespace rekindle
