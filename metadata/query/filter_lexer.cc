#include "metadata/query/filter_lexer.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using Kind = FilterToken::Kind;

bool StartsName(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool ContinuesName(char c) { return absl::ascii_isalnum(c) || c == '_'; }

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<FilterToken>> Run() {
    while (true) {
      RK_RETURN_IF_ERROR(SkipBlanks());
      RK_ASSIGN_OR_RETURN(FilterToken token, Next());
      tokens_.push_back(std::move(token));
      if (tokens_.back().kind == Kind::kEnd) return std::move(tokens_);
    }
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  absl::Status Error(size_t position, absl::string_view problem) const {
    return FilterError(text_, position, problem);
  }

  absl::Status SkipBlanks() {
    while (!AtEnd()) {
      if (absl::ascii_isspace(Peek())) {
        ++at_;
      } else if (Peek() == '#' || (Peek() == '-' && Peek(1) == '-')) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (Peek() == '/' && Peek(1) == '*') {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == absl::string_view::npos) {
          return Error(at_, "the comment has no end");
        }
        at_ = end + 2;
      } else {
        break;
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<FilterToken> Next() {
    const size_t start = at_;
    if (AtEnd()) return FilterToken{.kind = Kind::kEnd, .position = start};
    const char c = Peek();
    if ((c == 'r' || c == 'R') && (Peek(1) == '\'' || Peek(1) == '"')) {
      ++at_;
      return String(start, /*raw=*/true);
    }
    // After a dot everything is a name: properties.2020.int_value.
    if (StartsName(c) || (AfterDot() && absl::ascii_isdigit(c))) {
      return Name(start);
    }
    if (c == '`') return QuotedName(start);
    if (c == '\'' || c == '"') return String(start, /*raw=*/false);
    if (absl::ascii_isdigit(c) ||
        (c == '.' && absl::ascii_isdigit(Peek(1)) && !AfterName())) {
      return Number(start);
    }
    return Sign(start);
  }

  bool AfterDot() const {
    return !tokens_.empty() && tokens_.back().kind == Kind::kSign &&
           tokens_.back().text == ".";
  }
  bool AfterName() const {
    return !tokens_.empty() && (tokens_.back().kind == Kind::kName ||
                                tokens_.back().kind == Kind::kQuotedName);
  }

  FilterToken Name(size_t start) {
    while (!AtEnd() && ContinuesName(Peek())) ++at_;
    return {.kind = Kind::kName,
            .position = start,
            .text = std::string(text_.substr(start, at_ - start))};
  }

  absl::StatusOr<FilterToken> QuotedName(size_t start) {
    const size_t end = text_.find('`', start + 1);
    if (end == absl::string_view::npos) {
      return Error(start, "the name in backquotes has no end");
    }
    at_ = end + 1;
    return FilterToken{
        .kind = Kind::kQuotedName,
        .position = start,
        .text = std::string(text_.substr(start + 1, end - start - 1))};
  }

  absl::StatusOr<FilterToken> String(size_t start, bool raw) {
    FilterToken token = {.kind = Kind::kString, .position = start};
    const char quote = text_[at_++];
    while (!AtEnd() && Peek() != quote) {
      if (Peek() == '\\' && !raw) {
        RK_RETURN_IF_ERROR(Escape(&token.text));
      } else {
        token.text.push_back(text_[at_++]);
      }
    }
    if (AtEnd()) return Error(start, "the string has no end");
    ++at_;
    return token;
  }

  absl::Status Escape(std::string* into) {
    const size_t start = at_;
    constexpr absl::string_view kLetters = "nrtabfv\\'\"`?";
    constexpr absl::string_view kMeanings = "\n\r\t\a\b\f\v\\'\"`?";
    const size_t simple = kLetters.find(Peek(1));
    if (at_ + 1 < text_.size() && simple != absl::string_view::npos) {
      into->push_back(kMeanings[simple]);
      at_ += 2;
      return absl::OkStatus();
    }
    uint32_t byte = 0;
    if ((Peek(1) == 'x' || Peek(1) == 'X') && at_ + 4 <= text_.size() &&
        absl::SimpleHexAtoi(text_.substr(at_ + 2, 2), &byte)) {
      into->push_back(static_cast<char>(byte));
      at_ += 4;
      return absl::OkStatus();
    }
    return Error(
        start, absl::StrCat("no such escape: '", text_.substr(start, 2), "'"));
  }

  absl::StatusOr<FilterToken> Number(size_t start) {
    while (!AtEnd() && IsInNumber(start)) ++at_;
    const absl::string_view digits = text_.substr(start, at_ - start);
    FilterToken token = {.kind = Kind::kInteger, .position = start};
    if (absl::StartsWithIgnoreCase(digits, "0x")
            ? absl::SimpleHexAtoi(digits, &token.integer)
            : absl::SimpleAtoi(digits, &token.integer)) {
      return token;
    }
    token.kind = Kind::kReal;
    if (absl::SimpleAtod(digits, &token.real)) return token;
    return Error(start, absl::StrCat("'", digits, "' is not a number"));
  }

  // Letters and digits, the dot, and the sign of an exponent.
  bool IsInNumber(size_t start) const {
    if (ContinuesName(Peek()) || Peek() == '.') return true;
    const bool hex = absl::StartsWithIgnoreCase(text_.substr(start), "0x");
    const char before = at_ > start ? text_[at_ - 1] : '\0';
    return (Peek() == '-' || Peek() == '+') && !hex &&
           (before == 'e' || before == 'E');
  }

  absl::StatusOr<FilterToken> Sign(size_t start) {
    for (const absl::string_view sign : {"!=", "<>", "<=", ">=", "=", "<", ">",
                                         "(", ")", ",", ".", "-", "+"}) {
      if (!absl::StartsWith(text_.substr(start), sign)) continue;
      at_ += sign.size();
      return FilterToken{
          .kind = Kind::kSign, .position = start, .text = std::string(sign)};
    }
    return Error(start, absl::StrCat("'", text_.substr(start, 1),
                                     "' means nothing here"));
  }

  absl::string_view text_;
  size_t at_ = 0;
  std::vector<FilterToken> tokens_;
};

}  // namespace

absl::Status FilterError(absl::string_view filter, size_t position,
                         absl::string_view problem) {
  constexpr size_t kShown = 24;
  const absl::string_view rest =
      filter.substr(std::min(position, filter.size()));
  return absl::InvalidArgumentError(absl::StrCat(
      "filter_query, character ", position + 1, ", ",
      rest.empty() ? "at its end"
                   : absl::StrCat("at \"", rest.substr(0, kShown),
                                  rest.size() > kShown ? "..." : "", "\""),
      ": ", problem));
}

absl::StatusOr<std::vector<FilterToken>> LexFilter(absl::string_view filter) {
  return Lexer(filter).Run();
}

}  // namespace rekindle
