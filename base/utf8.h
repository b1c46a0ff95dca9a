#ifndef REKINDLE_BASE_UTF8_H_
#define REKINDLE_BASE_UTF8_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rekindle {

// `text` with every byte that is not part of well-formed UTF-8 replaced by
// U+FFFD.
std::string ReplaceInvalidUtf8(absl::string_view text);

// Whether `text` is well-formed UTF-8.
bool IsValidUtf8(absl::string_view text);

// How many characters (code points) well-formed text has.
size_t CountCharacters(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_BASE_UTF8_H_
