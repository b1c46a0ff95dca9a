#ifndef REKINDLE_METADATA_QUERY_FILTER_LEXER_H_
#define REKINDLE_METADATA_QUERY_FILTER_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

struct FilterToken {
  enum class Kind { kEnd, kName, kQuotedName, kInteger, kReal, kString, kSign };

  Kind kind = Kind::kEnd;
  size_t position = 0;    // of its first character
  std::string text = {};  // of a name or sign; the value of a string
  int64_t integer = 0;
  double real = 0;
};

// An INVALID_ARGUMENT that points into the text of a filter.
absl::Status FilterError(absl::string_view filter, size_t position,
                         absl::string_view problem);

// Splits a filter into tokens, of which the last is kEnd.
//
//   INVALID_ARGUMENT  a character that begins nothing, a string without an end
absl::StatusOr<std::vector<FilterToken>> LexFilter(absl::string_view filter);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_QUERY_FILTER_LEXER_H_
