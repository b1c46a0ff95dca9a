#include "operator/expression/regular_expression.h"

#include <memory>

#include <re2/re2.h>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle::argo {
namespace {

absl::StatusOr<std::unique_ptr<RE2>> Compile(const std::string& pattern) {
  auto compiled = std::make_unique<RE2>(pattern, RE2::Quiet);
  if (compiled->ok()) return compiled;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", pattern, "' is no regular expression: ", compiled->error()));
}

// Go writes $1 or ${1}, RE2 \1.
std::string ToRe2Replacement(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool braced = i + 1 < text.size() && text[i + 1] == '{';
    const size_t digit = i + (braced ? 2 : 1);
    if (text[i] == '$' && digit < text.size() &&
        absl::ascii_isdigit(text[digit])) {
      result += {'\\', text[digit]};
      i = digit + (braced ? 1 : 0);
    } else {
      if (text[i] == '\\') result.push_back('\\');
      result.push_back(text[i]);
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<Value> RegexMatch(const std::string& pattern,
                                 const std::string& text) {
  RK_ASSIGN_OR_RETURN(const auto regex, Compile(pattern));
  return Value(RE2::PartialMatch(text, *regex));
}

absl::StatusOr<Value> RegexFind(const std::string& pattern,
                                const std::string& text) {
  RK_ASSIGN_OR_RETURN(const auto regex, Compile(pattern));
  re2::StringPiece match;
  const bool found =
      regex->Match(text, 0, text.size(), RE2::UNANCHORED, &match, 1);
  return Value(found ? std::string(match.data(), match.size()) : "");
}

absl::StatusOr<Value> RegexReplaceAll(const std::string& pattern,
                                      const std::string& text,
                                      const std::string& replacement) {
  RK_ASSIGN_OR_RETURN(const auto regex, Compile(pattern));
  std::string result = text;
  RE2::GlobalReplace(&result, *regex, ToRe2Replacement(replacement));
  return Value(std::move(result));
}

}  // namespace rekindle::argo
