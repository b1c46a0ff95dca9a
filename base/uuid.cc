#include "base/uuid.h"

#include <array>
#include <random>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rekindle {

std::string RandomUuid() {
  std::array<char, 16> bytes;
  std::random_device source;
  for (char& byte : bytes) byte = static_cast<char>(source());
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);  // version 4
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);  // RFC 4122

  const std::string hex = absl::BytesToHexString({bytes.data(), bytes.size()});
  const absl::string_view all = hex;
  return absl::StrCat(all.substr(0, 8), "-", all.substr(8, 4), "-",
                      all.substr(12, 4), "-", all.substr(16, 4), "-",
                      all.substr(20));
}

}  // namespace rekindle
