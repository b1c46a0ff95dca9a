#ifndef REKINDLE_CLI_OUTPUT_H_
#define REKINDLE_CLI_OUTPUT_H_

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace rekindle {

// What `-o` takes on every query.
inline const std::vector<std::string> kOutputFormats = {"table", "json",
                                                        "yaml"};

// Indented JSON with a line's end. Bytes that are not UTF-8, which JSON cannot
// hold, are shown as U+FFFD.
std::string ToJsonText(const nlohmann::json& value);

// The same as a YAML document; a string that would read back as something else
// is quoted.
std::string ToYamlText(const nlohmann::json& value);

// A node's fields as a table, one a line; nested ones by dotted names.
std::string ToFieldTable(const nlohmann::json& value);

// `value` in the format `json`, `yaml` or, by ToFieldTable, `table`.
std::string Render(const nlohmann::json& value, const std::string& format);

}  // namespace rekindle

#endif  // REKINDLE_CLI_OUTPUT_H_
