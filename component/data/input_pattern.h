#ifndef REKINDLE_COMPONENT_DATA_INPUT_PATTERN_H_
#define REKINDLE_COMPONENT_DATA_INPUT_PATTERN_H_

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Which span of the data a file is of, and which version of that span.
struct SpanVersion {
  int64_t span = 0;
  std::optional<int64_t> version;

  bool operator==(const SpanVersion&) const = default;
};

// A pattern of files' names as TFX has them: glob's *, ? and [...], none of
// which crosses a slash, and besides, at most once each:
//
//   {SPAN}           the number of a span; {SPAN:3} one of three digits, as 007
//   {YYYY} {MM} {DD} together, instead: the span is the days since 1970-01-01
//   {VERSION}        with one of the above, like {SPAN}: {VERSION:2}
//
// Without a width a number has no leading zeros.
class InputPattern {
 public:
  //   INVALID_ARGUMENT  a spec is there twice, or alone without those that it
  //                     needs, or its width is not a number from 1 to 18
  static absl::StatusOr<InputPattern> Parse(const std::string& text);

  bool has_span() const { return has_span_ || has_date_; }
  bool has_version() const { return has_version_; }

  // The pattern for glob(3): a star for each spec.
  std::string Glob() const;

  // What the name of a file says; nullopt if the pattern does not match it.
  //
  //   INVALID_ARGUMENT  it matches, but names a day that no calendar has
  absl::StatusOr<std::optional<SpanVersion>> Match(
      const std::string& path) const;

  // The pattern of one span and version: what TFX records.
  std::string Fill(const SpanVersion& chosen) const;

 private:
  enum class Spec { kText, kSpan, kVersion, kYear, kMonth, kDay };
  // A stretch of the pattern: text with glob's signs, or a spec.
  struct Piece {
    Spec spec = Spec::kText;
    std::string text;  // as it is written
    int width = 0;     // digits of a number; 0: as many as it takes
  };

  static absl::StatusOr<Piece> ParseSpec(absl::string_view braces);
  static std::string RegexOf(const Piece& piece);
  // How often a spec occurs.
  int64_t Count(Spec spec) const;
  // A spec that occurs twice, or without those that belong to it, is an error.
  absl::Status CheckSpecs(const std::string& text) const;

  std::vector<Piece> pieces_;
  std::regex regex_;
  bool has_span_ = false;
  bool has_date_ = false;
  bool has_version_ = false;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_INPUT_PATTERN_H_
