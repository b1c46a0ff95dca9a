#include "operator/expression/condition.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "operator/expression/regular_expression.h"
#include "operator/expression/value.h"

namespace rekindle::argo {
namespace {

struct WhenToken {
  enum class Kind { kValue, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  Value value;
  std::string symbol;
};

bool IsQuote(char c) { return c == '\'' || c == '"'; }
bool IsLetter(char c) {
  return absl::ascii_isalpha(c) || (static_cast<unsigned char>(c) & 0x80) != 0;
}

// A quoted date is a number of seconds, as in govaluate.
Value QuotedValue(std::string text) {
  absl::Time time;
  std::string error;
  for (const char* format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S",
                             absl::RFC3339_full}) {
    if (absl::ParseTime(format, text, &time, &error)) {
      return Value(absl::ToDoubleSeconds(time - absl::UnixEpoch()));
    }
  }
  return Value(std::move(text));
}

class WhenLexer {
 public:
  explicit WhenLexer(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<WhenToken>> Run() {
    std::vector<WhenToken> tokens;
    while (true) {
      while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
      if (at_ >= text_.size()) break;
      RK_ASSIGN_OR_RETURN(WhenToken token, Next());
      tokens.push_back(std::move(token));
    }
    tokens.emplace_back();
    return tokens;
  }

 private:
  static WhenToken Symbol(std::string symbol) {
    return {WhenToken::Kind::kSymbol, Value(), std::move(symbol)};
  }
  static WhenToken OfValue(Value value) {
    return {WhenToken::Kind::kValue, std::move(value), ""};
  }

  absl::StatusOr<WhenToken> Next() {
    const char c = text_[at_];
    if (absl::ascii_isdigit(c) || c == '.') return Number();
    if (c == '[') return Until(']');
    if (IsLetter(c)) return Word();
    if (IsQuote(c)) return Until(c);
    if (c == '(' || c == ')' || c == ',') {
      ++at_;
      return Symbol(std::string(1, c));
    }
    std::string symbol;
    while (at_ < text_.size() && !absl::ascii_isspace(text_[at_]) &&
           !absl::ascii_isalnum(text_[at_]) && !IsQuote(text_[at_]) &&
           absl::string_view("()[],").find(text_[at_]) ==
               absl::string_view::npos) {
      symbol.push_back(text_[at_++]);
    }
    for (const char* known :
         {"==", "!=", "<",  "<=", ">", ">=", "=~", "!~", "&&",
          "||", "+",  "-",  "*",  "/", "%",  "**", "&",  "|",
          "^",  "<<", ">>", "!",  "~", "?",  ":",  "??"}) {
      if (symbol == known) return Symbol(std::move(symbol));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("'", symbol,
                     "' is no operator; put quotes around a value that has "
                     "special characters"));
  }

  absl::StatusOr<WhenToken> Number() {
    const size_t start = at_;
    if (absl::StartsWith(text_.substr(at_), "0x")) {
      at_ += 2;
      while (at_ < text_.size() && absl::ascii_isxdigit(text_[at_])) ++at_;
      uint64_t number = 0;
      if (!absl::SimpleHexAtoi(text_.substr(start, at_ - start), &number)) {
        return BadNumber(start);
      }
      return OfValue(Value(static_cast<double>(number)));
    }
    while (at_ < text_.size() &&
           (absl::ascii_isdigit(text_[at_]) || text_[at_] == '.')) {
      ++at_;
    }
    double number = 0;
    if (!absl::SimpleAtod(text_.substr(start, at_ - start), &number)) {
      return BadNumber(start);
    }
    return OfValue(Value(number));
  }

  absl::Status BadNumber(size_t start) const {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text_.substr(start, at_ - start), "' is no number"));
  }

  absl::StatusOr<WhenToken> Word() {
    std::string word;
    while (at_ < text_.size() &&
           (IsLetter(text_[at_]) || absl::ascii_isdigit(text_[at_]) ||
            text_[at_] == '_' || text_[at_] == '.' || text_[at_] == '\\')) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      word.push_back(text_[at_++]);
    }
    if (word == "true" || word == "false")
      return OfValue(Value(word == "true"));
    if (word == "in" || word == "IN") return Symbol("in");
    if (word.find('.') != std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("put quotes around '", word, "'"));
    }
    return OfValue(Value(std::move(word)));
  }

  absl::StatusOr<WhenToken> Until(char end) {
    const char start = text_[at_++];
    std::string text;
    while (at_ < text_.size() &&
           (IsQuote(start) ? !IsQuote(text_[at_]) : text_[at_] != end)) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      text.push_back(text_[at_++]);
    }
    if (at_ >= text_.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a ", IsQuote(start) ? "string" : "'['", " without an end"));
    }
    ++at_;
    return OfValue(IsQuote(start) ? QuotedValue(std::move(text))
                                  : Value(std::move(text)));
  }

  const absl::string_view text_;
  size_t at_ = 0;
};

// Evaluates while it parses: a condition has no variables.
class WhenParser {
 public:
  explicit WhenParser(std::vector<WhenToken> tokens)
      : tokens_(std::move(tokens)) {}

  absl::StatusOr<Value> Run() {
    RK_ASSIGN_OR_RETURN(Value value, Separated());
    if (Current().kind != WhenToken::Kind::kEnd) return Unexpected();
    return value;
  }

 private:
  using Level = std::vector<absl::string_view>;
  static constexpr int kMaxDepth = 200;

  // Loosest first.
  static const std::vector<Level>& Levels() {
    static const auto* const kLevels = new std::vector<Level>{
        {"?", ":", "??"},
        {"||"},
        {"&&"},
        {"==", "!=", "<", "<=", ">", ">=", "=~", "!~", "in"},
        {"&", "|", "^"},
        {"<<", ">>"},
        {"+", "-"},
        {"*", "/", "%"},
        {"**"}};
    return *kLevels;
  }

  const WhenToken& Current() const { return tokens_[at_]; }
  void Skip() { at_ = std::min(at_ + 1, tokens_.size() - 1); }
  bool IsSymbol(absl::string_view symbol) const {
    return Current().kind == WhenToken::Kind::kSymbol &&
           Current().symbol == symbol;
  }
  absl::Status Unexpected() const {
    switch (Current().kind) {
      case WhenToken::Kind::kEnd:
        return absl::InvalidArgumentError("it ends too early");
      case WhenToken::Kind::kSymbol:
        return absl::InvalidArgumentError(
            absl::StrCat("unexpected '", Current().symbol, "'"));
      default:
        return absl::InvalidArgumentError(
            absl::StrCat("unexpected '", ToText(Current().value),
                         "'; put quotes around a value with blanks"));
    }
  }

  absl::StatusOr<Value> Separated() {
    RK_ASSIGN_OR_RETURN(Value first, Binary(0));
    if (!IsSymbol(",")) return first;
    Value::List list = {std::move(first)};
    while (IsSymbol(",")) {
      Skip();
      RK_ASSIGN_OR_RETURN(Value next, Binary(0));
      list.push_back(std::move(next));
    }
    return Value(std::move(list));
  }

  bool TakesHere(size_t level) const {
    if (Current().kind != WhenToken::Kind::kSymbol) return false;
    for (const absl::string_view symbol : Levels()[level]) {
      if (Current().symbol == symbol) return true;
    }
    return false;
  }

  absl::StatusOr<Value> Binary(size_t level) {
    if (level == Levels().size()) return Prefixed();
    RK_ASSIGN_OR_RETURN(Value left, Binary(level + 1));
    while (TakesHere(level)) {
      const std::string symbol = Current().symbol;
      Skip();
      const bool decided = IsDecided(symbol, left);
      unused_ += decided ? 1 : 0;
      RK_ASSIGN_OR_RETURN(const Value right, Binary(level + 1));
      unused_ -= decided ? 1 : 0;
      if (decided) {
        if (symbol == "?") left = Value();
      } else if (unused_ == 0) {
        RK_ASSIGN_OR_RETURN(left, Apply(symbol, left, right));
      }
    }
    return left;
  }

  // Whether the left side alone says what comes out; the right one must only
  // parse then.
  bool IsDecided(const std::string& symbol, const Value& left) const {
    if (unused_ > 0) return false;
    if (symbol == ":" || symbol == "??") return !left.is_nil();
    if (left.as_bool() == nullptr) return false;
    if (symbol == "||") return *left.as_bool();
    return (symbol == "&&" || symbol == "?") && !*left.as_bool();
  }

  absl::StatusOr<Value> Prefixed() {
    for (const char* symbol : {"!", "-", "~"}) {
      if (!IsSymbol(symbol)) continue;
      if (++depth_ > kMaxDepth) return TooDeep();
      Skip();
      RK_ASSIGN_OR_RETURN(const Value operand, Prefixed());
      --depth_;
      if (unused_ > 0) return Value();
      if (*symbol == '!') {
        if (operand.as_bool() == nullptr) return NoUse("!", operand);
        return Value(!*operand.as_bool());
      }
      if (operand.as_float() == nullptr) return NoUse(symbol, operand);
      return Value(*symbol == '-' ? -operand.number()
                                  : static_cast<double>(~Bits(operand)));
    }
    return Atom();
  }

  absl::StatusOr<Value> Atom() {
    if (Current().kind == WhenToken::Kind::kValue) {
      Value value = Current().value;
      Skip();
      return value;
    }
    if (!IsSymbol("(")) return Unexpected();
    if (++depth_ > kMaxDepth) return TooDeep();
    Skip();
    RK_ASSIGN_OR_RETURN(Value value, Separated());
    if (!IsSymbol(")")) return Unexpected();
    Skip();
    --depth_;
    return value;
  }

  static absl::Status TooDeep() {
    return absl::InvalidArgumentError("it is nested too deeply");
  }
  static absl::Status NoUse(absl::string_view symbol, const Value& value) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", symbol, "' has no use for ", value.kind(), " '",
                     ToText(value), "'"));
  }
  static int64_t Bits(const Value& value) {
    const double number = value.number();
    return std::fabs(number) < 9.2e18 ? static_cast<int64_t>(number) : 0;
  }

  static absl::StatusOr<Value> Apply(const std::string& symbol,
                                     const Value& left, const Value& right) {
    if (symbol == "==") return Value(left == right);
    if (symbol == "!=") return Value(!(left == right));
    if (symbol == "&&" || symbol == "||") return Join(symbol, left, right);
    if (symbol == "?") {
      if (left.as_bool() == nullptr) return NoUse(symbol, left);
      return *left.as_bool() ? right : Value();
    }
    if (symbol == ":" || symbol == "??") return left.is_nil() ? right : left;
    if (symbol == "=~" || symbol == "!~") return Match(symbol, left, right);
    if (symbol == "in") return In(left, right);
    if (symbol[0] == '<' || symbol[0] == '>') {
      if (symbol != "<<" && symbol != ">>") return Order(symbol, left, right);
    }
    if (symbol == "+" &&
        (left.as_string() != nullptr || right.as_string() != nullptr)) {
      return Value(absl::StrCat(ToText(left), ToText(right)));
    }
    return Arithmetic(symbol, left, right);
  }

  // Reached when the left side did not decide.
  static absl::StatusOr<Value> Join(const std::string& symbol,
                                    const Value& left, const Value& right) {
    if (left.as_bool() == nullptr) return NoUse(symbol, left);
    if (right.as_bool() == nullptr) return NoUse(symbol, right);
    return right;
  }

  static absl::StatusOr<Value> Match(const std::string& symbol,
                                     const Value& left, const Value& right) {
    if (left.as_string() == nullptr) return NoUse(symbol, left);
    if (right.as_string() == nullptr) return NoUse(symbol, right);
    RK_ASSIGN_OR_RETURN(const Value matches,
                        RegexMatch(*right.as_string(), *left.as_string()));
    return Value(*matches.as_bool() == (symbol == "=~"));
  }

  static absl::StatusOr<Value> In(const Value& left, const Value& right) {
    if (right.as_list() == nullptr) return NoUse("in", right);
    for (const Value& item : *right.as_list()) {
      if (item == left) return Value(true);
    }
    return Value(false);
  }

  static absl::StatusOr<Value> Order(const std::string& symbol,
                                     const Value& left, const Value& right) {
    int sign = 0;
    if (left.as_string() != nullptr && right.as_string() != nullptr) {
      sign = left.as_string()->compare(*right.as_string());
    } else if (left.as_float() != nullptr && right.as_float() != nullptr) {
      sign = left.number() < right.number()   ? -1
             : left.number() > right.number() ? 1
                                              : 0;
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", symbol, "' cannot compare ", left.kind(), " '", ToText(left),
          "' and ", right.kind(), " '", ToText(right), "'"));
    }
    if (symbol == "<") return Value(sign < 0);
    if (symbol == "<=") return Value(sign <= 0);
    return Value(symbol == ">" ? sign > 0 : sign >= 0);
  }

  static absl::StatusOr<Value> Arithmetic(const std::string& symbol,
                                          const Value& left,
                                          const Value& right) {
    if (left.as_float() == nullptr) return NoUse(symbol, left);
    if (right.as_float() == nullptr) return NoUse(symbol, right);
    const double a = left.number();
    const double b = right.number();
    if (symbol == "+") return Value(a + b);
    if (symbol == "-") return Value(a - b);
    if (symbol == "*") return Value(a * b);
    if (symbol == "/") return Value(a / b);
    if (symbol == "%") return Value(std::fmod(a, b));
    if (symbol == "**") return Value(std::pow(a, b));
    const int64_t x = Bits(left);
    const int64_t y = Bits(right);
    if (symbol == "&") return Value(static_cast<double>(x & y));
    if (symbol == "|") return Value(static_cast<double>(x | y));
    if (symbol == "^") return Value(static_cast<double>(x ^ y));
    if (y < 0 || y > 63) return Value(0.0);
    const auto bits = static_cast<uint64_t>(x);
    return Value(static_cast<double>(symbol == "<<" ? bits << y : bits >> y));
  }

  const std::vector<WhenToken> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int unused_ = 0;  // above zero: inside what is read but not needed
};

absl::StatusOr<Value> Evaluate(absl::string_view when) {
  RK_ASSIGN_OR_RETURN(std::vector<WhenToken> tokens, WhenLexer(when).Run());
  return WhenParser(std::move(tokens)).Run();
}

}  // namespace

absl::StatusOr<bool> EvaluateWhen(absl::string_view when) {
  if (when.empty()) return true;
  const absl::StatusOr<Value> value = Evaluate(when);
  if (!value.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the condition '", when, "': ", value.status().message()));
  }
  if (const bool* b = value->as_bool()) return *b;
  return absl::InvalidArgumentError(absl::StrCat("the condition '", when,
                                                 "' gives '", ToText(*value),
                                                 "', not true or false"));
}

}  // namespace rekindle::argo
