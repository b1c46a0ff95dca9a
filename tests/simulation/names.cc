// The names that base/ makes at random, from a counter: a history is the same
// each time. They stand in for those of the library when this is linked.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/name_suffix.h"
#include "base/uuid.h"

namespace rekindle {
namespace {

uint64_t NextNumber() {
  static uint64_t number = 0;
  return ++number;
}

}  // namespace

std::string RandomNameSuffix() { return absl::StrCat(NextNumber()); }

std::string RandomUuid() {
  return absl::StrFormat("00000000-0000-4000-8000-%012x", NextNumber());
}

}  // namespace rekindle
