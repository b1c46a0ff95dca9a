#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// How many bytes a character has that begins with `lead`; 0 if none does.
size_t LengthFrom(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// Longer than needed, a surrogate, or beyond the last character.
bool IsForbidden(unsigned char lead, unsigned char second) {
  return (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
         (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
}

// The length of the character that `text` starts with; 0 if it is not one.
size_t CharacterLength(absl::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = LengthFrom(lead);
  if (length == 0 || length > text.size()) return 0;
  if (!std::all_of(text.begin() + 1,
                   text.begin() + static_cast<std::ptrdiff_t>(length),
                   IsContinuation)) {
    return 0;
  }
  if (length > 1 && IsForbidden(lead, static_cast<unsigned char>(text[1]))) {
    return 0;
  }
  return length;
}

}  // namespace

std::string ReplaceInvalidUtf8(absl::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    const absl::string_view character =
        length == 0 ? kReplacement : text.substr(0, length);
    valid.append(character.data(), character.size());
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return valid;
}

bool IsValidUtf8(absl::string_view text) {
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

size_t CountCharacters(absl::string_view text) {
  return text.size() - static_cast<size_t>(std::count_if(
                           text.begin(), text.end(), IsContinuation));
}

}  // namespace rekindle
