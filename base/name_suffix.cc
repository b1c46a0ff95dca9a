#include "base/name_suffix.h"

#include <random>
#include <string>

#include "absl/strings/string_view.h"

namespace rekindle {

std::string RandomNameSuffix() {
  constexpr absl::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::random_device random;
  std::uniform_int_distribution<size_t> pick(0, kLetters.size() - 1);
  std::string suffix;
  while (suffix.size() < 5) suffix.push_back(kLetters[pick(random)]);
  return suffix;
}

}  // namespace rekindle
