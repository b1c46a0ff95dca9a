#include "component/config/config_sources.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/config/field_value.h"
#include "component/config/yaml.h"
#include "component/contract/whole_file.h"

namespace rekindle {
namespace {

constexpr char kSource[] = "params_override";

absl::Status Malformed(std::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(kSource, ": ", problem));
}

// `name=value` or `name[index]=value`. A plain value.
struct Assignment {
  std::string name;
  std::optional<size_t> index;
  std::string value;
};

// Where the assignment that begins `text` ends: the first comma outside of
// quotes and brackets.
size_t EndOfAssignment(std::string_view text) {
  char quote = 0;
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++open;
    } else if (c == ']' || c == '}') {
      --open;
    } else if (c == ',' && open <= 0) {
      return i;
    }
  }
  return text.size();
}

std::vector<std::string_view> SplitAssignments(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = EndOfAssignment(text);
    parts.push_back(absl::StripAsciiWhitespace(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool IsPath(std::string_view text) {
  const auto is_path = [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
  };
  return !text.empty() && (absl::ascii_isalpha(text[0]) || text[0] == '_') &&
         std::ranges::all_of(text, is_path);
}

// Cuts "[index]" off the end of a name; nullopt when what is in the brackets is
// no index.
std::optional<Assignment> ParseTarget(std::string_view text) {
  Assignment assignment;
  if (text.ends_with(']')) {
    const size_t open = std::min(text.find('['), text.size());
    size_t index = 0;
    const std::string_view inside =
        text.substr(open + 1, text.size() - open - 2);
    if (!absl::SimpleAtoi(inside, &index)) return std::nullopt;
    assignment.index = index;
    text = text.substr(0, open);
  }
  assignment.name = std::string(absl::StripAsciiWhitespace(text));
  if (!IsPath(assignment.name)) return std::nullopt;
  return assignment;
}

std::optional<Assignment> ParseAssignment(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  std::optional<Assignment> assignment =
      ParseTarget(absl::StripAsciiWhitespace(text.substr(0, equals)));
  if (assignment.has_value()) {
    assignment->value =
        std::string(absl::StripAsciiWhitespace(text.substr(equals + 1)));
  }
  return assignment;
}

// A value of YAML; what is none, such as *.tfrecord, is a string.
absl::StatusOr<ConfigJson> ParseValue(const Assignment& assignment) {
  if (assignment.value.empty()) return nullptr;
  absl::StatusOr<ConfigLayer> parsed = ParseYaml(kSource, assignment.value);
  if (parsed.ok()) return std::move(parsed->values);
  const bool is_word =
      assignment.value.find_first_of("'\"[]{}\n") == std::string::npos;
  if (is_word) return assignment.value;
  return Malformed(absl::StrCat(assignment.name, " is ", assignment.value,
                                ", expected a value of YAML"));
}

// The elements of a list, by their indices.
using Elements = std::map<size_t, ConfigJson>;

absl::Status PutList(const std::string& name, const Elements& elements,
                     ConfigJson& tree) {
  ConfigJson list = ConfigJson::array();
  for (const auto& [index, value] : elements) {
    if (index != list.size()) {
      return Malformed(
          absl::StrCat(name, "[", list.size(),
                       "] is missing; a list needs all its elements,"
                       " from 0"));
    }
    list.push_back(value);
  }
  PutAt(name, std::move(list), tree);
  return absl::OkStatus();
}

absl::StatusOr<ConfigLayer> ParseAssignments(std::string_view text) {
  ConfigLayer layer{.source = kSource};
  std::map<std::string, Elements> lists;
  for (const std::string_view part : SplitAssignments(text)) {
    const std::optional<Assignment> assignment = ParseAssignment(part);
    if (!assignment.has_value()) {
      return Malformed(absl::StrCat("'", part, "', expected name=value"));
    }
    RK_ASSIGN_OR_RETURN(ConfigJson value, ParseValue(*assignment));
    if (assignment->index.has_value()) {
      lists[assignment->name][*assignment->index] = std::move(value);
    } else {
      PutAt(assignment->name, std::move(value), layer.values);
    }
  }
  for (const auto& [name, elements] : lists) {
    RK_RETURN_IF_ERROR(PutList(name, elements, layer.values));
  }
  return layer;
}

}  // namespace

absl::StatusOr<ConfigLayer> ReadConfigFile(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  RK_ASSIGN_OR_RETURN(ConfigLayer layer, ParseYaml(path, text));
  if (layer.values.is_null()) layer.values = ConfigJson::object();
  if (layer.values.is_object()) return layer;
  return absl::InvalidArgumentError(absl::StrCat(
      path, " is ", ShortText(layer.values), ", expected names and values"));
}

absl::StatusOr<ConfigLayer> ParseOverride(const std::string& text) {
  const std::string_view stripped = absl::StripAsciiWhitespace(text);
  const std::string_view first = stripped.substr(0, EndOfAssignment(stripped));
  if (ParseAssignment(first).has_value()) return ParseAssignments(stripped);
  if (stripped.empty()) return ConfigLayer{.source = kSource};
  RK_ASSIGN_OR_RETURN(ConfigLayer layer, ParseYaml(kSource, text));
  if (layer.values.is_object()) return layer;
  if (layer.values.is_string()) return ReadConfigFile(layer.values);
  return Malformed(absl::StrCat(
      "is ", text, ", expected name=value,name=value, YAML, or a file of it"));
}

}  // namespace rekindle
