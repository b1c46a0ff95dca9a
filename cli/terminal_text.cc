#include "cli/terminal_text.h"

#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/utf8.h"

namespace rekindle {
namespace {

bool IsBetween(char byte, unsigned char first, unsigned char last) {
  const auto value = static_cast<unsigned char>(byte);
  return value >= first && value <= last;
}

// How many bytes the character has that `text`, valid UTF-8, begins with, if a
// terminal does something else than to show it; 0 otherwise.
size_t ControlLength(absl::string_view text) {
  if (IsBetween(text[0], 0x00, 0x1F) || text[0] == '\x7F') return 1;
  // U+0080 to U+009F, which some terminals take for ESC and a letter.
  if (text[0] == '\xC2' && IsBetween(text[1], 0x80, 0x9F)) return 2;
  // Marks of direction, and separators of lines and paragraphs: U+200E,
  // U+200F, U+2028 to U+202E, U+2066 to U+2069.
  if (absl::StartsWith(text, "\xE2\x80") &&
      (IsBetween(text[2], 0x8E, 0x8F) || IsBetween(text[2], 0xA8, 0xAE))) {
    return 3;
  }
  if (absl::StartsWith(text, "\xE2\x81") && IsBetween(text[2], 0xA6, 0xA9)) {
    return 3;
  }
  return 0;
}

std::string WithoutControls(absl::string_view text, absl::string_view kept) {
  const std::string valid = ReplaceInvalidUtf8(text);
  std::string shown;
  shown.reserve(valid.size());
  for (absl::string_view rest = valid; !rest.empty();) {
    const size_t control =
        absl::StrContains(kept, rest[0]) ? 0 : ControlLength(rest);
    shown.push_back(control > 0 ? ' ' : rest[0]);
    rest.remove_prefix(control > 0 ? control : 1);
  }
  return shown;
}

}  // namespace

std::string TerminalLine(absl::string_view text) {
  return WithoutControls(text, "");
}

std::string TerminalText(absl::string_view text) {
  return WithoutControls(text, "\n\t");
}

}  // namespace rekindle
