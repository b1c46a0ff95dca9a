#include "operator/lint/name_rules.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "operator/workflow/templating.h"

namespace rekindle::argo {
namespace {

constexpr size_t kLongestName = 128;

}  // namespace

std::string NodeNameProblem(const std::string& name) {
  if (name.size() > kLongestName) {
    return absl::StrCat("is longer than ", kLongestName, " characters");
  }
  bool good = !name.empty() && absl::ascii_isalnum(name[0]);
  for (const char c : name) good &= absl::ascii_isalnum(c) || c == '-';
  return good ? ""
              : "must have only letters, digits and '-', and no '-' at its "
                "beginning";
}

std::string FieldNameProblem(const std::string& name) {
  bool good = !name.empty();
  for (const char c : name) {
    good &= absl::ascii_isalnum(c) || c == '-' || c == '_';
  }
  return good ? "" : "must have only letters, digits, '-' and '_'";
}

std::string ScheduleProblem(const std::string& schedule) {
  std::vector<std::string> fields =
      absl::StrSplit(schedule, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (!fields.empty() && (absl::StartsWith(fields[0], "TZ=") ||
                          absl::StartsWith(fields[0], "CRON_TZ="))) {
    fields.erase(fields.begin());
  }
  if (!fields.empty() && fields[0][0] == '@') return "";
  if (fields.size() != 5) {
    return absl::StrCat("has ", fields.size(),
                        " fields; minute, hour, day, month and weekday are "
                        "five");
  }
  for (const std::string& field : fields) {
    for (const char c : field) {
      if (absl::ascii_isalnum(c) ||
          absl::string_view("*/,-?").find(c) != absl::string_view::npos) {
        continue;
      }
      return absl::StrCat("has a bad field '", field, "'");
    }
  }
  return "";
}

bool HasTag(const std::string& text) { return !FindTags(text).empty(); }

}  // namespace rekindle::argo
