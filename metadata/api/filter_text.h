#ifndef REKINDLE_METADATA_API_FILTER_TEXT_H_
#define REKINDLE_METADATA_API_FILTER_TEXT_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// A string as a filter_query has it: "it's" is 'it\'s'.
inline std::string QuoteForFilter(absl::string_view text) {
  return absl::StrCat(
      "'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_FILTER_TEXT_H_
