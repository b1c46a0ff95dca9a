#ifndef REKINDLE_COMPONENT_CACHE_CACHE_FIELDS_H_
#define REKINDLE_COMPONENT_CACHE_CACHE_FIELDS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rekindle {

// What the outputs of a step depend on, by name (docs/cache.md lists the
// names). A value is short, or stands for what is not: a digest. Pure values.
using CacheFields = std::map<std::string, std::string>;

// SHA-256 in hexadecimal over names and values: two steps have the same key
// exactly when they have the same fields.
std::string CacheKeyOf(const CacheFields& fields);

// `text` itself if a person can read it at a glance, otherwise its digest,
// "sha256:<hex>".
std::string ShortOrDigest(absl::string_view text);

// FieldsFromJson(FieldsToJson(fields)) == fields, if the values are UTF-8.
std::string FieldsToJson(const CacheFields& fields);
// nullopt for a text that is not such JSON.
std::optional<CacheFields> FieldsFromJson(const std::string& text);

// A field that two steps do not have in common; a side without it has no value.
struct FieldDifference {
  std::string name;
  std::optional<std::string> before;
  std::optional<std::string> after;

  bool operator==(const FieldDifference&) const = default;
};

// In the order of their names.
std::vector<FieldDifference> DifferencesOf(const CacheFields& before,
                                           const CacheFields& after);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CACHE_CACHE_FIELDS_H_
