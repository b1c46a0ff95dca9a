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
#include "base/status_macros.h"
#include "operator/expression/functions/function_table.h"
#include "operator/expression/functions/text_util.h"

// expr-lang's functions on strings.
namespace rekindle::argo {
namespace {

using Args = Value::List;

const std::string& Text(const Args& args, size_t i) {
  return *args[i].as_string();
}

Value Trim(const Args& args) {
  return args.size() == 1 ? TrimSpace(Text(args, 0))
                          : TrimSet(Text(args, 0), Text(args, 1));
}

Value Split(const Args& args) {
  const int64_t most = args.size() == 3 ? *args[2].as_int() : -1;
  return ToList(SplitText(Text(args, 0), Text(args, 1), most, false));
}

Value SplitAfter(const Args& args) {
  const int64_t most = args.size() == 3 ? *args[2].as_int() : -1;
  return ToList(SplitText(Text(args, 0), Text(args, 1), most, true));
}

Value Replace(const Args& args) {
  return ReplaceText(Text(args, 0), Text(args, 1), Text(args, 2),
                     args.size() == 4 ? *args[3].as_int() : -1);
}

absl::StatusOr<Value> Repeat(const Args& args) {
  return RepeatText(Text(args, 0), *args[1].as_int());
}

absl::StatusOr<Value> Join(const Args& args) {
  std::vector<std::string> parts;
  for (const Value& item : *args[0].as_list()) {
    if (item.as_string() == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("'join' takes strings, not ", item.kind()));
    }
    parts.push_back(*item.as_string());
  }
  return Value(absl::StrJoin(parts, args.size() == 2 ? Text(args, 1) : ""));
}

Value Position(size_t found) {
  return found == std::string::npos ? Value(-1)
                                    : Value(static_cast<int64_t>(found));
}

absl::StatusOr<Value> FromBase64(const Args& args) {
  std::string text;
  if (!absl::Base64Unescape(Text(args, 0), &text)) {
    return absl::InvalidArgumentError("'fromBase64' was given no base64");
  }
  return Value(std::move(text));
}

}  // namespace

void AddTextFunctions(FunctionTable* table) {
  FunctionTable& add = *table;
  add["string"] = {"a", [](const Args& a) { return ToText(a[0]); }};
  add["trim"] = {"s?s", Trim};
  add["trimPrefix"] = {"s?s", [](const Args& a) {
                         return std::string(absl::StripPrefix(
                             Text(a, 0), a.size() == 2 ? Text(a, 1) : " "));
                       }};
  add["trimSuffix"] = {"s?s", [](const Args& a) {
                         return std::string(absl::StripSuffix(
                             Text(a, 0), a.size() == 2 ? Text(a, 1) : " "));
                       }};
  add["upper"] = {"s", [](const Args& a) { return ToUpper(Text(a, 0)); }};
  add["lower"] = {"s", [](const Args& a) { return ToLower(Text(a, 0)); }};
  add["split"] = {"ss?i", Split};
  add["splitAfter"] = {"ss?i", SplitAfter};
  add["replace"] = {"sss?i", Replace};
  add["repeat"] = {"si", Repeat};
  add["join"] = {"l?s", Join};
  add["indexOf"] = {"ss", [](const Args& a) {
                      return Position(Text(a, 0).find(Text(a, 1)));
                    }};
  add["lastIndexOf"] = {"ss", [](const Args& a) {
                          return Position(Text(a, 0).rfind(Text(a, 1)));
                        }};
  add["hasPrefix"] = {"ss", [](const Args& a) {
                        return Value(absl::StartsWith(Text(a, 0), Text(a, 1)));
                      }};
  add["hasSuffix"] = {"ss", [](const Args& a) {
                        return Value(absl::EndsWith(Text(a, 0), Text(a, 1)));
                      }};
  add["toBase64"] = {
      "s", [](const Args& a) { return absl::Base64Escape(Text(a, 0)); }};
  add["fromBase64"] = {"s", FromBase64};
}

}  // namespace rekindle::argo
