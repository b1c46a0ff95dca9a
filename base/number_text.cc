#include "base/number_text.h"

#include <array>
#include <charconv>
#include <string>

namespace rekindle {

std::string ShortestDecimal(double value) {
  std::array<char, 32> text;  // 24 characters at most
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

}  // namespace rekindle
