#include "cli/flag_set.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

constexpr size_t kHelpColumn = 26;

std::string ToKebab(absl::string_view name) {
  return absl::StrReplaceAll(name, {{"_", "-"}});
}

std::string ToVariable(absl::string_view name) {
  return absl::StrCat("REKINDLE_", absl::AsciiStrToUpper(absl::StrReplaceAll(
                                       name, {{"-", "_"}})));
}

// property, properties; slice, slices; exclude-splits stays.
std::string PluralOf(const std::string& name) {
  if (absl::EndsWith(name, "s")) return name;
  if (!absl::EndsWith(name, "y")) return name + "s";
  return absl::StrCat(absl::StripSuffix(name, "y"), "ies");
}

// The lines that hold something.
std::vector<std::string> LinesOf(absl::string_view text) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

absl::Status BadValue(const std::string& name, const std::string& value,
                      absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", name, ": '", value, "' is not ", expected));
}

}  // namespace

FlagSet::FlagSet(std::string usage, std::string summary, std::string example)
    : usage_(std::move(usage)),
      summary_(std::move(summary)),
      example_(std::move(example)) {}

void FlagSet::Add(Flag flag) { flags_.push_back(std::move(flag)); }

void FlagSet::String(const std::string& name, const std::string& metavar,
                     std::string* target, const std::string& help) {
  Add({name, metavar, help, *target, false, [target](const std::string& value) {
         *target = value;
         return absl::OkStatus();
       }});
}

void FlagSet::OptionalString(const std::string& name,
                             const std::string& metavar,
                             std::optional<std::string>* target,
                             const std::string& help) {
  Add({name, metavar, help, "", false, [target](const std::string& value) {
         *target = value;
         return absl::OkStatus();
       }});
}

void FlagSet::OptionalInt(const std::string& name, const std::string& metavar,
                          std::optional<int64_t>* target,
                          const std::string& help) {
  Add({name, metavar, help, "", false,
       [target, name](const std::string& value) {
         int64_t parsed = 0;
         if (!absl::SimpleAtoi(value, &parsed)) {
           return BadValue(name, value, "a whole number");
         }
         *target = parsed;
         return absl::OkStatus();
       }});
}

void FlagSet::Duration(const std::string& name, absl::Duration* target,
                       const std::string& help) {
  Add({name, "TIME", help, absl::FormatDuration(*target), false,
       [target, name](const std::string& value) {
         if (!absl::ParseDuration(value, target) ||
             *target < absl::ZeroDuration()) {
           return BadValue(name, value, "a time such as 30s or 1m30s");
         }
         return absl::OkStatus();
       }});
}

void FlagSet::Bool(const std::string& name, bool* target,
                   const std::string& help) {
  Add({name, "", help, "", false, [target, name](const std::string& value) {
         if (!absl::SimpleAtob(value, target)) {
           return BadValue(name, value, "true or false");
         }
         return absl::OkStatus();
       }});
}

void FlagSet::Strings(const std::string& name, const std::string& metavar,
                      std::vector<std::string>* target,
                      const std::string& help) {
  const std::string plural = PluralOf(name);
  const auto add_lines = [target](const std::string& value) {
    for (std::string& line : LinesOf(value)) {
      target->push_back(std::move(line));
    }
    return absl::OkStatus();
  };
  if (plural == name) {
    Add({name, metavar,
         absl::StrCat(help, " (may be repeated, or one in each line)"), "",
         false, add_lines});
    return;
  }
  Add({name, metavar,
       absl::StrCat(help, " (may be repeated; --", plural,
                    " takes one in each line)"),
       "", false, [target](const std::string& value) {
         target->push_back(value);
         return absl::OkStatus();
       }});
  Add({plural, "LINES", "", "", false, add_lines, /*in_help=*/false});
}

void FlagSet::Format(std::vector<std::string> formats, std::string* target,
                     const std::string& name) {
  *target = formats.front();
  format_flag_ = name;
  const std::string all = absl::StrJoin(formats, "|");
  Add({name, all,
       name == "format"
           ? "how to print the result; -o for short"
           : "how to print the result; -o for short, --format is the same",
       *target, false,
       [target, formats = std::move(formats), all,
        name](const std::string& value) {
         if (std::find(formats.begin(), formats.end(), value) ==
             formats.end()) {
           return BadValue(name, value, absl::StrCat("one of ", all));
         }
         *target = value;
         return absl::OkStatus();
       }});
}

void FlagSet::Letter(char letter, const std::string& name) {
  letters_[letter] = name;
}

std::optional<std::string> FlagSet::SpelledOut(
    const std::string& argument) const {
  if (argument.size() < 2 || argument[0] != '-') return std::nullopt;
  if (argument == "-o") return "--format";
  const auto letter = letters_.find(argument[1]);
  if (letter == letters_.end()) return std::nullopt;
  const std::string name = absl::StrCat("--", letter->second);
  if (argument.size() == 2) return name;
  // "-n=argo" and "-nargo".
  return absl::StrCat(name, argument[2] == '=' ? "" : "=", argument.substr(2));
}

FlagSet::Flag* FlagSet::Find(const std::string& name) {
  const auto found =
      std::find_if(flags_.begin(), flags_.end(),
                   [&name](const Flag& flag) { return flag.name == name; });
  return found == flags_.end() ? nullptr : &*found;
}

absl::Status FlagSet::UnknownFlag(const std::string& name) const {
  std::vector<std::string> names = {"help"};
  for (const Flag& flag : flags_) names.push_back(flag.name);
  const std::optional<std::string> nearest = NearestName(name, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown flag --", name,
      nearest.has_value() ? absl::StrCat("; did you mean --", *nearest, "?")
                          : "; --help lists the flags"));
}

absl::Status FlagSet::Set(Flag& flag, std::string value) {
  if (value.empty()) return absl::OkStatus();
  flag.given = true;
  if (!flag.metavar.empty() && absl::StartsWith(value, "@")) {
    absl::StatusOr<std::string> content = ReadFile(value.substr(1));
    if (!content.ok()) {
      return WithContext(content.status(), absl::StrCat("--", flag.name));
    }
    value = std::string(absl::StripSuffix(*content, "\n"));
  }
  return flag.set(value);
}

absl::Status FlagSet::ParseFlag(const std::vector<std::string>& arguments,
                                size_t* index) {
  absl::string_view text = arguments[*index];
  text.remove_prefix(2);
  const size_t equals = text.find('=');
  std::string name = ToKebab(text.substr(0, equals));
  if (name == "format") name = format_flag_;
  if (name == "help") {
    help_requested_ = true;
    return absl::OkStatus();
  }
  Flag* flag = Find(name);
  if (flag == nullptr) return UnknownFlag(name);
  if (equals != absl::string_view::npos) {
    return Set(*flag, std::string(text.substr(equals + 1)));
  }
  if (flag->metavar.empty()) return Set(*flag, "true");
  if (*index + 1 == arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", name, " needs a value: --", name, "=", flag->metavar));
  }
  return Set(*flag, arguments[++*index]);
}

absl::Status FlagSet::ReadEnvironment() {
  for (Flag& flag : flags_) {
    if (flag.given) continue;
    const std::string variable = ToVariable(flag.name);
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr) continue;
    const absl::Status set = Set(flag, value);
    if (!set.ok()) {
      return WithContext(set, absl::StrCat("environment variable ", variable));
    }
  }
  return absl::OkStatus();
}

absl::Status FlagSet::Parse(const std::vector<std::string>& arguments,
                            std::vector<std::string>* positional) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-h") {
      help_requested_ = true;
    } else if (const auto name = SpelledOut(argument)) {
      std::vector<std::string> spelled_out = arguments;
      spelled_out[i] = *name;
      RK_RETURN_IF_ERROR(ParseFlag(spelled_out, &i));
    } else if (absl::StartsWith(argument, "--") && argument.size() > 2) {
      RK_RETURN_IF_ERROR(ParseFlag(arguments, &i));
    } else if (absl::StartsWith(argument, "-") && argument.size() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown flag ", argument, "; --help lists the flags"));
    } else {
      positional->push_back(argument);
    }
    if (help_requested_) return absl::OkStatus();
  }
  return ReadEnvironment();
}

std::string FlagSet::Help() const {
  std::string help =
      absl::StrCat("Usage: rekindle ", usage_, "\n", summary_, "\n\n");
  for (const Flag& flag : flags_) {
    if (!flag.in_help) continue;
    std::string left = absl::StrCat("  --", flag.name);
    if (!flag.metavar.empty()) absl::StrAppend(&left, "=", flag.metavar);
    left.resize(std::max(left.size() + 2, kHelpColumn), ' ');
    absl::StrAppend(&help, left, flag.help);
    for (const auto& [letter, name] : letters_) {
      if (name == flag.name) {
        absl::StrAppend(&help, "; -", std::string(1, letter), " for short");
      }
    }
    if (!flag.default_text.empty()) {
      absl::StrAppend(&help, " (default: ", flag.default_text, ")");
    }
    absl::StrAppend(&help, "\n");
  }
  absl::StrAppend(&help, "\nExample: ", example_, "\n");
  return help;
}

}  // namespace rekindle
