// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_AMONG_H_
#define REKINDLE_METADATA_STORE_AMONG_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "metadata/sqlite/sql_fragment.h"

namespace rekindle {

// The condition that `column` is one of `ids`. Its text is one of few, whatever
// the ids: it may be part of a statement that is kept. Quickest for ids that
// follow one another, as those of what one call stored do.
SqlFragment Among(absl::string_view column, absl::Span<const int64_t> ids);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_AMONG_H_
