#include "operator/expression/lexer.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle::argo {
namespace {

constexpr auto kWordOperators = std::to_array<absl::string_view>(
    {"and", "or", "not", "in", "matches", "contains", "startsWith", "endsWith",
     "let", "if", "else"});
// Longer ones first.
constexpr auto kSymbols = std::to_array<absl::string_view>(
    {"..", "?.", "??", "**", "||", "&&", "==", "!=", "<=", ">=",
     "::", "+",  "-",  "*",  "/",  "%",  "^",  "|",  "<",  ">",
     "!",  "?",  ":",  ".",  ",",  ";",  "=",  "#"});

// Letters of other alphabets are all of their bytes.
bool IsNameStart(char c) {
  return absl::ascii_isalpha(c) || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool IsNameChar(char c) { return IsNameStart(c) || absl::ascii_isdigit(c); }

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr std::array<unsigned char, 4> kLead = {0, 0xC0, 0xE0, 0xF0};
  out->push_back(static_cast<char>(kLead.at(more) | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F)));
  }
}

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> Run() {
    while (true) {
      RK_RETURN_IF_ERROR(SkipBlanks());
      if (at_ == text_.size()) break;
      RK_RETURN_IF_ERROR(Next());
    }
    tokens_.push_back({Token::Kind::kEnd, "", Column()});
    return std::move(tokens_);
  }

 private:
  int Column() const { return static_cast<int>(at_) + 1; }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool StartsWith(absl::string_view what) const {
    return absl::StartsWith(text_.substr(at_), what);
  }
  void Add(Token::Kind kind, std::string text, size_t start) {
    tokens_.push_back({kind, std::move(text), static_cast<int>(start) + 1});
  }

  absl::Status SkipBlanks() {
    while (at_ < text_.size()) {
      if (absl::ascii_isspace(Peek())) {
        ++at_;
      } else if (StartsWith("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (StartsWith("/*")) {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == absl::string_view::npos) {
          return ErrorAt(Column(), "a comment without an end");
        }
        at_ = end + 2;
      } else {
        break;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Next() {
    const char c = Peek();
    if (absl::ascii_isdigit(c) || (c == '.' && absl::ascii_isdigit(Peek(1)))) {
      return Number();
    }
    if (IsNameStart(c)) {
      Name();
      return absl::OkStatus();
    }
    if (c == '\'' || c == '"') return Quoted(c);
    if (c == '`') return RawString();
    if (std::strchr("()[]{}", c) != nullptr && c != '\0') {
      Add(Token::Kind::kBracket, std::string(1, c), at_);
      ++at_;
      return absl::OkStatus();
    }
    for (const absl::string_view symbol : kSymbols) {
      if (!StartsWith(symbol)) continue;
      Add(Token::Kind::kOperator, std::string(symbol), at_);
      at_ += symbol.size();
      return absl::OkStatus();
    }
    return ErrorAt(Column(),
                   absl::StrCat("'", absl::CHexEscape(text_.substr(at_, 1)),
                                "' begins nothing an expression has"));
  }

  void Name() {
    const size_t start = at_;
    while (at_ < text_.size() && IsNameChar(Peek())) ++at_;
    std::string name(text_.substr(start, at_ - start));
    for (const absl::string_view word : kWordOperators) {
      if (name == word) {
        Add(Token::Kind::kOperator, std::move(name), start);
        return;
      }
    }
    Add(Token::Kind::kName, std::move(name), start);
  }

  void Digits(absl::string_view allowed) {
    while (at_ < text_.size() &&
           allowed.find(absl::ascii_tolower(Peek())) != allowed.npos) {
      ++at_;
    }
  }

  absl::Status Number() {
    const size_t start = at_;
    const char base = absl::ascii_tolower(Peek(1));
    if (Peek() == '0' && base != '\0' && std::strchr("xbo", base) != nullptr) {
      at_ += 2;
      Digits(base == 'x' ? "0123456789abcdef_" : "01234567_");
    } else {
      Digits("0123456789_");
      // "1..3" is a range, not "1." and ".3".
      if (Peek() == '.' && Peek(1) != '.') {
        ++at_;
        Digits("0123456789_");
      }
      if (absl::ascii_tolower(Peek()) == 'e') {
        ++at_;
        if (Peek() == '+' || Peek() == '-') ++at_;
        Digits("0123456789_");
      }
    }
    if (at_ < text_.size() && IsNameChar(Peek())) {
      return ErrorAt(static_cast<int>(start) + 1, "a bad number");
    }
    Add(Token::Kind::kNumber, std::string(text_.substr(start, at_ - start)),
        start);
    return absl::OkStatus();
  }

  absl::Status RawString() {
    const size_t start = at_++;
    const size_t end = text_.find('`', at_);
    if (end == absl::string_view::npos) return Unclosed(start);
    Add(Token::Kind::kString, std::string(text_.substr(at_, end - at_)), start);
    at_ = end + 1;
    return absl::OkStatus();
  }

  absl::Status Quoted(char quote) {
    const size_t start = at_++;
    std::string text;
    while (Peek() != quote || at_ >= text_.size()) {
      if (at_ >= text_.size() || Peek() == '\n') return Unclosed(start);
      if (Peek() == '\\') {
        ++at_;
        RK_RETURN_IF_ERROR(Escape(&text));
      } else {
        text.push_back(Peek());
        ++at_;
      }
    }
    ++at_;
    Add(Token::Kind::kString, std::move(text), start);
    return absl::OkStatus();
  }

  absl::Status Unclosed(size_t start) const {
    return ErrorAt(static_cast<int>(start) + 1, "a string without an end");
  }

  absl::Status Escape(std::string* out) {
    static constexpr absl::string_view kFrom = "abfnrtv\\'\"`?";
    static constexpr absl::string_view kTo = "\a\b\f\n\r\t\v\\'\"`?";
    const char c = Peek();
    const size_t simple = kFrom.find(c);
    if (at_ < text_.size() && simple != absl::string_view::npos) {
      out->push_back(kTo[simple]);
      ++at_;
      return absl::OkStatus();
    }
    const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0;
    if (digits == 0 || at_ + 1 + digits > text_.size() ||
        !absl::SimpleHexAtoi(text_.substr(at_ + 1, digits), &code) ||
        code > 0x10FFFF) {
      return ErrorAt(Column(), "an escape that strings do not have");
    }
    if (digits == 2) {
      out->push_back(static_cast<char>(code));
    } else {
      AppendUtf8(code, out);
    }
    at_ += 1 + digits;
    return absl::OkStatus();
  }

  const absl::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text) {
  return Lexer(text).Run();
}

absl::Status ErrorAt(int column, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("column ", column, ": ", message));
}

}  // namespace rekindle::argo
