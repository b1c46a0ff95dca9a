#include "operator/workflow/object_name.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace rekindle::argo {
namespace {

constexpr size_t kLongestLabel = 63;
constexpr size_t kLongestName = 253;

bool IsSmallLetterOrDigit(char c) {
  return absl::ascii_islower(c) || absl::ascii_isdigit(c);
}

bool IsLabel(absl::string_view text) {
  if (text.empty() || !IsSmallLetterOrDigit(text.front()) ||
      !IsSmallLetterOrDigit(text.back())) {
    return false;
  }
  for (const char c : text) {
    if (!IsSmallLetterOrDigit(c) && c != '-') return false;
  }
  return true;
}

bool IsSubdomain(const std::string& name) {
  for (const absl::string_view label : absl::StrSplit(name, '.')) {
    if (!IsLabel(label)) return false;
  }
  return true;
}

}  // namespace

std::string ObjectNameProblem(const std::string& name) {
  if (name.size() > kLongestName) {
    return absl::StrCat("is longer than ", kLongestName, " characters");
  }
  return IsSubdomain(name)
             ? ""
             : "must have only small letters, digits, '-' and '.', and a "
               "letter or digit at both ends of each part";
}

std::string LabelNameProblem(const std::string& name) {
  if (name.size() > kLongestLabel) {
    return absl::StrCat("is longer than ", kLongestLabel, " characters");
  }
  return IsLabel(name) ? ""
                       : "must have only small letters, digits and '-', and a "
                         "letter or digit at both ends";
}

std::string SubPathProblem(const std::string& path) {
  if (absl::StartsWith(path, "/")) return "must be relative";
  if (absl::StrContains(path, '\0')) return "has a NUL byte";
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part == "..") return "must not contain '..'";
  }
  return "";
}

}  // namespace rekindle::argo
