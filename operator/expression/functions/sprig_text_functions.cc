#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/digest.h"
#include "base/status_macros.h"
#include "operator/expression/functions/function_table.h"
#include "operator/expression/functions/text_util.h"
#include "operator/expression/regular_expression.h"

// sprig's functions on strings. Their arguments come in the order of templates:
// the string last.
namespace rekindle::argo {
namespace {

using Args = Value::List;

const std::string& Text(const Args& args, size_t i) {
  return *args[i].as_string();
}

// sprig prints anything where it wants a string.
std::vector<std::string> Texts(const Value& value) {
  std::vector<std::string> texts;
  if (const Value::List* list = value.as_list()) {
    for (const Value& item : *list) texts.push_back(ToText(item));
  } else if (!value.is_nil()) {
    texts.push_back(ToText(value));
  }
  return texts;
}

std::string Title(std::string text) {
  bool start = true;
  for (char& c : text) {
    if (start) c = absl::ascii_toupper(c);
    start = absl::ascii_isspace(c) != 0;
  }
  return text;
}

std::string Truncate(const std::string& text, int64_t count) {
  const int64_t size = static_cast<int64_t>(text.size());
  if (count >= 0) return text.substr(0, std::min(count, size));
  return size + count > 0 ? text.substr(size + count) : text;
}

std::string Substring(const std::string& text, int64_t start, int64_t end) {
  const int64_t size = static_cast<int64_t>(text.size());
  if (start < 0) return text.substr(0, std::clamp<int64_t>(end, 0, size));
  const int64_t from = std::min(start, size);
  const int64_t to = end < 0 || end > size ? size : std::max(end, from);
  return text.substr(from, to - from);
}

std::string Indent(int64_t blanks, const std::string& text) {
  const std::string pad(std::clamp<int64_t>(blanks, 0, 1000), ' ');
  return absl::StrCat(
      pad, absl::StrReplaceAll(text, {{"\n", absl::StrCat("\n", pad)}}));
}

// "HelloWorld" and "hello world" to "hello_world".
std::string Separated(const std::string& text, char separator) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool word = absl::ascii_isalnum(c) != 0;
    const bool begins =
        absl::ascii_isupper(c) && i > 0 &&
        (absl::ascii_islower(text[i - 1]) || absl::ascii_isdigit(text[i - 1]));
    if ((!word || begins) && !result.empty() && result.back() != separator) {
      result.push_back(separator);
    }
    if (word) result.push_back(absl::ascii_tolower(c));
  }
  return result;
}

absl::StatusOr<Value> Decode(const Args& args) {
  std::string text;
  if (!absl::Base64Unescape(Text(args, 0), &text)) {
    return absl::InvalidArgumentError("'sprig.b64dec' was given no base64");
  }
  return Value(std::move(text));
}

Value Sha256Sum(const Args& args) {
  Sha256 digest;
  digest.Update(Text(args, 0));
  return Value(digest.HexDigest());
}

// sprig's split() gives {_0: ..., _1: ...}.
Value SplitToMap(const Args& args) {
  Value::Map map;
  for (const std::string& part :
       SplitText(Text(args, 1), Text(args, 0), -1, false)) {
    const std::string key = absl::StrCat("_", map.size());
    map[key] = Value(part);
  }
  return Value(std::move(map));
}

Value Quote(const Args& args, const char* quote) {
  std::vector<std::string> quoted;
  for (const Value& arg : args) {
    if (arg.is_nil()) continue;
    const std::string text =
        *quote == '"' ? absl::CEscape(ToText(arg)) : ToText(arg);
    quoted.push_back(absl::StrCat(quote, text, quote));
  }
  return Value(absl::StrJoin(quoted, " "));
}

void AddShapes(FunctionTable* table) {
  FunctionTable& add = *table;
  add["sprig.trim"] = {"s",
                       [](const Args& a) { return TrimSpace(Text(a, 0)); }};
  add["sprig.trimAll"] = {
      "ss", [](const Args& a) { return TrimSet(Text(a, 1), Text(a, 0)); }};
  add["sprig.trimPrefix"] = {
      "ss", [](const Args& a) {
        return std::string(absl::StripPrefix(Text(a, 1), Text(a, 0)));
      }};
  add["sprig.trimSuffix"] = {
      "ss", [](const Args& a) {
        return std::string(absl::StripSuffix(Text(a, 1), Text(a, 0)));
      }};
  add["sprig.upper"] = {"s", [](const Args& a) { return ToUpper(Text(a, 0)); }};
  add["sprig.lower"] = {"s", [](const Args& a) { return ToLower(Text(a, 0)); }};
  add["sprig.title"] = {"s", [](const Args& a) { return Title(Text(a, 0)); }};
  add["sprig.repeat"] = {"is", [](const Args& a) {
                           return RepeatText(Text(a, 1), *a[0].as_int());
                         }};
  add["sprig.substr"] = {"iis", [](const Args& a) {
                           return Substring(Text(a, 2), *a[0].as_int(),
                                            *a[1].as_int());
                         }};
  add["sprig.trunc"] = {
      "is", [](const Args& a) { return Truncate(Text(a, 1), *a[0].as_int()); }};
  add["sprig.nospace"] = {"s", [](const Args& a) {
                            std::string text = Text(a, 0);
                            std::erase_if(text, absl::ascii_isspace);
                            return text;
                          }};
  add["sprig.indent"] = {
      "is", [](const Args& a) { return Indent(*a[0].as_int(), Text(a, 1)); }};
  add["sprig.nindent"] = {"is", [](const Args& a) {
                            return absl::StrCat(
                                "\n", Indent(*a[0].as_int(), Text(a, 1)));
                          }};
  add["sprig.snakecase"] = {
      "s", [](const Args& a) { return Separated(Text(a, 0), '_'); }};
  add["sprig.kebabcase"] = {
      "s", [](const Args& a) { return Separated(Text(a, 0), '-'); }};
  add["sprig.quote"] = {"a*", [](const Args& a) { return Quote(a, "\""); }};
  add["sprig.squote"] = {"a*", [](const Args& a) { return Quote(a, "'"); }};
  add["sprig.b64enc"] = {
      "s", [](const Args& a) { return absl::Base64Escape(Text(a, 0)); }};
  add["sprig.b64dec"] = {"s", Decode};
  add["sprig.sha256sum"] = {"s", Sha256Sum};
}

void AddParts(FunctionTable* table) {
  FunctionTable& add = *table;
  add["sprig.contains"] = {
      "ss", [](const Args& a) {
        return Value(absl::StrContains(Text(a, 1), Text(a, 0)));
      }};
  add["sprig.hasPrefix"] = {
      "ss", [](const Args& a) {
        return Value(absl::StartsWith(Text(a, 1), Text(a, 0)));
      }};
  add["sprig.hasSuffix"] = {
      "ss", [](const Args& a) {
        return Value(absl::EndsWith(Text(a, 1), Text(a, 0)));
      }};
  add["sprig.replace"] = {"sss", [](const Args& a) {
                            return ReplaceText(Text(a, 2), Text(a, 0),
                                               Text(a, 1), -1);
                          }};
  add["sprig.split"] = {"ss", SplitToMap};
  add["sprig.splitList"] = {
      "ss", [](const Args& a) {
        return ToList(SplitText(Text(a, 1), Text(a, 0), -1, false));
      }};
  add["sprig.join"] = {"sa", [](const Args& a) {
                         return Value(absl::StrJoin(Texts(a[1]), Text(a, 0)));
                       }};
  add["sprig.sortAlpha"] = {"a", [](const Args& a) {
                              std::vector<std::string> texts = Texts(a[0]);
                              std::sort(texts.begin(), texts.end());
                              return ToList(texts);
                            }};
  add["sprig.toStrings"] = {"a",
                            [](const Args& a) { return ToList(Texts(a[0])); }};
  add["sprig.cat"] = {"a*", [](const Args& a) {
                        std::vector<std::string> texts;
                        for (const Value& arg : a) {
                          if (!arg.is_nil()) texts.push_back(ToText(arg));
                        }
                        return Value(absl::StrJoin(texts, " "));
                      }};
  add["sprig.regexMatch"] = {
      "ss", [](const Args& a) { return RegexMatch(Text(a, 0), Text(a, 1)); }};
  add["sprig.regexFind"] = {
      "ss", [](const Args& a) { return RegexFind(Text(a, 0), Text(a, 1)); }};
  add["sprig.regexReplaceAll"] = {"sss", [](const Args& a) {
                                    return RegexReplaceAll(
                                        Text(a, 0), Text(a, 1), Text(a, 2));
                                  }};
}

}  // namespace

void AddSprigTextFunctions(FunctionTable* table) {
  AddShapes(table);
  AddParts(table);
}

}  // namespace rekindle::argo
