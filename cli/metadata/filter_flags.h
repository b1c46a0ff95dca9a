#ifndef REKINDLE_CLI_METADATA_FILTER_FLAGS_H_
#define REKINDLE_CLI_METADATA_FILTER_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/flag_set.h"
#include "metadata/api/node_traits.h"

namespace rekindle {

// The flags that choose nodes: --filter, and short forms of what is asked most.
struct FilterFlags {
  std::string filter = {};
  std::optional<int64_t> context = std::nullopt;
  std::string pipeline = {};
  std::string run = {};

  void Bind(FlagSet& flags);

  bool empty() const;

  // All of them as one filter for nodes of the kind (docs/filter-language.md);
  // empty when none is given. Of contexts the short forms choose those below
  // the context, the pipeline, the run.
  //
  //   INVALID_ARGUMENT  --filter does not parse; the message shows where
  absl::StatusOr<std::string> ToQuery(NodeKind kind) const;

  // What the store answered to the filter of ToQuery, said in terms of --filter
  // and with a caret below the character it is about. Other answers stay.
  absl::Status Explain(const absl::Status& answer) const;

 private:
  bool HasShortForms() const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_METADATA_FILTER_FLAGS_H_
