#include "component/cache/cache_fields.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

// Whoever changes what the fields mean raises it: old keys are then not found.
constexpr char kKeyFormat[] = "rekindle cache key 1";

constexpr size_t kLongestShort = 200;

std::optional<std::string> ValueIn(const CacheFields& fields,
                                   const std::string& name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::string CacheKeyOf(const CacheFields& fields) {
  Sha256 hash;
  hash.UpdateField(kKeyFormat);
  for (const auto& [name, value] : fields) {
    hash.UpdateField(name);
    hash.UpdateField(value);
  }
  return hash.HexDigest();
}

std::string ShortOrDigest(absl::string_view text) {
  const bool readable =
      text.size() <= kLongestShort && IsValidUtf8(text) &&
      std::none_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_iscntrl(static_cast<unsigned char>(c)) && c != '\n';
      });
  if (readable) return std::string(text);
  Sha256 hash;
  hash.Update(text);
  return absl::StrCat("sha256:", hash.HexDigest());
}

std::string FieldsToJson(const CacheFields& fields) {
  return nlohmann::json(fields).dump(-1, ' ', false,
                                     nlohmann::json::error_handler_t::replace);
}

std::optional<CacheFields> FieldsFromJson(const std::string& text) {
  const auto json =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  CacheFields fields;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return std::nullopt;
    fields[name] = value.get<std::string>();
  }
  return fields;
}

std::vector<FieldDifference> DifferencesOf(const CacheFields& before,
                                           const CacheFields& after) {
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : after) names.insert(name);
  std::vector<FieldDifference> differences;
  for (const std::string& name : names) {
    FieldDifference difference{name, ValueIn(before, name),
                               ValueIn(after, name)};
    if (difference.before != difference.after) {
      differences.push_back(std::move(difference));
    }
  }
  return differences;
}

}  // namespace rekindle
