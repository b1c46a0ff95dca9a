#include "component/launch/secret_mask.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

constexpr size_t kShortest = 4;
constexpr char kMasked[] = "***";

}  // namespace

SecretMask::SecretMask(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (const absl::string_view line : absl::StrSplit(secret, '\n')) {
      const absl::string_view bare = absl::StripAsciiWhitespace(line);
      if (bare.size() < kShortest) continue;
      replacements_.emplace_back(std::string(bare), kMasked);
    }
  }
}

std::string SecretMask::Mask(absl::string_view text) const {
  return absl::StrReplaceAll(text, replacements_);
}

absl::Status SecretMask::Mask(const absl::Status& status) const {
  if (status.ok()) return status;
  absl::Status masked(status.code(), Mask(status.message()));
  status.ForEachPayload(
      [&masked](absl::string_view url, const absl::Cord& payload) {
        masked.SetPayload(url, payload);
      });
  return masked;
}

}  // namespace rekindle
