#include "operator/expression/functions/text_util.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace rekindle::argo {

std::string TrimSpace(absl::string_view text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

std::string TrimSet(absl::string_view text, absl::string_view set) {
  const size_t first = text.find_first_not_of(set);
  if (first == absl::string_view::npos) return "";
  return std::string(
      text.substr(first, text.find_last_not_of(set) - first + 1));
}

std::string ToUpper(absl::string_view text) {
  return absl::AsciiStrToUpper(text);
}

std::string ToLower(absl::string_view text) {
  return absl::AsciiStrToLower(text);
}

std::vector<std::string> Characters(absl::string_view text) {
  std::vector<std::string> characters;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!continues || characters.empty()) characters.emplace_back();
    characters.back().push_back(c);
  }
  return characters;
}

std::vector<std::string> SplitText(absl::string_view text,
                                   absl::string_view separator, int64_t most,
                                   bool keep) {
  if (most == 0) return {};
  if (separator.empty()) {
    std::vector<std::string> parts = Characters(text);
    while (most > 0 && static_cast<int64_t>(parts.size()) > most) {
      const std::string last = std::move(parts.back());
      parts.pop_back();
      parts.back() += last;
    }
    return parts;
  }
  std::vector<std::string> parts;
  while (most < 0 || static_cast<int64_t>(parts.size()) + 1 < most) {
    const size_t at = text.find(separator);
    if (at == absl::string_view::npos) break;
    parts.emplace_back(text.substr(0, at + (keep ? separator.size() : 0)));
    text.remove_prefix(at + separator.size());
  }
  parts.emplace_back(text);
  return parts;
}

std::string ReplaceText(absl::string_view text, absl::string_view from,
                        absl::string_view to, int64_t most) {
  std::string result;
  if (from.empty()) {  // before each character and at the end, as Go does
    for (const std::string& character : Characters(text)) {
      if (most != 0) absl::StrAppend(&result, to);
      if (most > 0) --most;
      absl::StrAppend(&result, character);
    }
    return most == 0 ? result : absl::StrCat(result, to);
  }
  while (most != 0) {
    const size_t at = text.find(from);
    if (at == absl::string_view::npos) break;
    absl::StrAppend(&result, text.substr(0, at), to);
    text.remove_prefix(at + from.size());
    if (most > 0) --most;
  }
  return absl::StrCat(result, text);
}

absl::StatusOr<Value> RepeatText(absl::string_view text, int64_t count) {
  static constexpr int64_t kMost = 1'000'000;
  if (count < 0 || count > kMost ||
      count * static_cast<int64_t>(text.size()) > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat("'repeat' cannot repeat ", count, " times"));
  }
  std::string result;
  for (int64_t i = 0; i < count; ++i) absl::StrAppend(&result, text);
  return Value(std::move(result));
}

Value ToList(const std::vector<std::string>& texts) {
  return Value(Value::List(texts.begin(), texts.end()));
}

}  // namespace rekindle::argo
