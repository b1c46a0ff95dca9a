#include "component/data/input_pattern.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

constexpr int kMostDigits = 18;  // fit in 64 bits
constexpr absl::CivilDay kFirstDay(1970, 1, 1);

// A glob pattern without braces as a regular expression.
std::string GlobToRegex(absl::string_view glob) {
  std::string regex;
  bool in_class = false;
  for (const char c : glob) {
    if (in_class) {
      // "[!a]" is glob's way to say "[^a]".
      regex += c == '!' && regex.back() == '[' ? '^' : c;
      in_class = c != ']';
    } else if (c == '*') {
      regex += "[^/]*";
    } else if (c == '?') {
      regex += "[^/]";
    } else if (c == '[') {
      in_class = true;
      regex += c;
    } else {
      if (!absl::ascii_isalnum(c) && absl::ascii_isascii(c)) regex += '\\';
      regex += c;
    }
  }
  return regex;
}

absl::StatusOr<int64_t> SpanOfDay(int64_t year, int64_t month, int64_t day,
                                  const std::string& path) {
  const absl::CivilDay date(year, month, day);
  if (date.month() == month && date.day() == day) return date - kFirstDay;
  return absl::InvalidArgumentError(
      absl::StrFormat("the name of %s holds the date %04d-%02d-%02d, which "
                      "there is not; rename it or move it away",
                      path, year, month, day));
}

}  // namespace

absl::StatusOr<InputPattern::Piece> InputPattern::ParseSpec(
    absl::string_view braces) {
  static const auto* const kSpecs =
      new std::map<absl::string_view, std::pair<Spec, int>>{
          {"SPAN", {Spec::kSpan, 0}}, {"VERSION", {Spec::kVersion, 0}},
          {"YYYY", {Spec::kYear, 4}}, {"MM", {Spec::kMonth, 2}},
          {"DD", {Spec::kDay, 2}},
      };
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(
      braces.substr(1, braces.size() - 2), absl::MaxSplits(':', 1));
  const auto known = kSpecs->find(parts.first);
  if (known == kSpecs->end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", braces, "' is none of {SPAN}, {VERSION}, {YYYY}, {MM} and {DD}"));
  }
  Piece piece{known->second.first, std::string(braces), known->second.second};
  const bool has_width = absl::StrContains(braces, ":");
  if (!has_width) return piece;
  if (piece.width > 0 || !absl::SimpleAtoi(parts.second, &piece.width) ||
      piece.width < 1 || piece.width > kMostDigits) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", braces,
                     "' has a width that cannot be; {SPAN} and {VERSION} take "
                     "one from 1 to ",
                     kMostDigits, ", as {SPAN:3}"));
  }
  return piece;
}

absl::StatusOr<InputPattern> InputPattern::Parse(const std::string& text) {
  InputPattern pattern;
  absl::string_view rest = text;
  while (!rest.empty()) {
    const size_t open = std::min(rest.find('{'), rest.size());
    const size_t close = rest.find('}', open);
    if (open > 0 || close == absl::string_view::npos) {
      const size_t size = open > 0 ? open : rest.size();
      pattern.pieces_.push_back(
          {Spec::kText, std::string(rest.substr(0, size)), 0});
      rest.remove_prefix(size);
      continue;
    }
    RK_ASSIGN_OR_RETURN(Piece piece, ParseSpec(rest.substr(0, close + 1)));
    pattern.pieces_.push_back(std::move(piece));
    rest.remove_prefix(close + 1);
  }
  pattern.has_span_ = pattern.Count(Spec::kSpan) > 0;
  pattern.has_version_ = pattern.Count(Spec::kVersion) > 0;
  pattern.has_date_ = pattern.Count(Spec::kYear) + pattern.Count(Spec::kMonth) +
                          pattern.Count(Spec::kDay) >
                      0;
  RK_RETURN_IF_ERROR(pattern.CheckSpecs(text));
  std::string regex;
  for (const Piece& piece : pattern.pieces_) regex += RegexOf(piece);
  try {
    pattern.regex_ = std::regex(regex);
  } catch (const std::regex_error&) {
    return absl::InvalidArgumentError(
        absl::StrCat("the pattern '", text, "' has a '[' without its ']'"));
  }
  return pattern;
}

int64_t InputPattern::Count(Spec spec) const {
  return std::count_if(
      pieces_.begin(), pieces_.end(),
      [spec](const Piece& piece) { return piece.spec == spec; });
}

absl::Status InputPattern::CheckSpecs(const std::string& text) const {
  const auto error = [&text](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("the pattern '", text, "' ", what));
  };
  for (const Spec spec :
       {Spec::kSpan, Spec::kVersion, Spec::kYear, Spec::kMonth, Spec::kDay}) {
    if (Count(spec) > 1) return error("holds one of its specs twice");
    const bool part_of_date = spec != Spec::kSpan && spec != Spec::kVersion;
    if (has_date_ && part_of_date && Count(spec) == 0) {
      return error("must hold {YYYY}, {MM} and {DD} together");
    }
  }
  if (has_span_ && has_date_) {
    return error("holds {SPAN} and a date; one of them names the span");
  }
  if (has_version_ && !has_span()) {
    return error("holds {VERSION} without {SPAN} or a date");
  }
  return absl::OkStatus();
}

std::string InputPattern::RegexOf(const Piece& piece) {
  if (piece.spec == Spec::kText) return GlobToRegex(piece.text);
  if (piece.width > 0) return absl::StrCat("([0-9]{", piece.width, "})");
  return absl::StrCat("(0|[1-9][0-9]{0,", kMostDigits - 1, "})");
}

std::string InputPattern::Glob() const {
  std::string glob;
  for (const Piece& piece : pieces_) {
    glob += piece.spec == Spec::kText ? piece.text : "*";
  }
  return glob;
}

absl::StatusOr<std::optional<SpanVersion>> InputPattern::Match(
    const std::string& path) const {
  std::smatch groups;
  if (!std::regex_match(path, groups, regex_)) return std::nullopt;
  std::map<Spec, int64_t> numbers;
  size_t group = 1;
  for (const Piece& piece : pieces_) {
    if (piece.spec == Spec::kText) continue;
    // Cannot fail: the expression takes so few digits.
    (void)absl::SimpleAtoi(groups[group++].str(), &numbers[piece.spec]);
  }
  SpanVersion found{numbers[Spec::kSpan], std::nullopt};
  if (has_version_) found.version = numbers[Spec::kVersion];
  if (has_date_) {
    RK_ASSIGN_OR_RETURN(found.span,
                        SpanOfDay(numbers[Spec::kYear], numbers[Spec::kMonth],
                                  numbers[Spec::kDay], path));
  }
  return found;
}

std::string InputPattern::Fill(const SpanVersion& chosen) const {
  const absl::CivilDay day = kFirstDay + chosen.span;
  const std::map<Spec, int64_t> numbers = {
      {Spec::kSpan, chosen.span}, {Spec::kVersion, chosen.version.value_or(0)},
      {Spec::kYear, day.year()},  {Spec::kMonth, day.month()},
      {Spec::kDay, day.day()},
  };
  std::string filled;
  for (const Piece& piece : pieces_) {
    if (piece.spec == Spec::kText) {
      filled += piece.text;
    } else {
      absl::StrAppendFormat(&filled, "%0*d", piece.width,
                            numbers.at(piece.spec));
    }
  }
  return filled;
}

}  // namespace rekindle
