#ifndef REKINDLE_CLI_STORE_FLAGS_H_
#define REKINDLE_CLI_STORE_FLAGS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/flag_set.h"
#include "metadata/api/open_store.h"

namespace rekindle {

// --metadata and its short form --db, the same on every command.
struct StoreFlags {
  std::string metadata;
  std::string db = "rekindle.db";

  void Bind(FlagSet& flags);

  // Opens the store that the flags name.
  //
  //   INVALID_ARGUMENT  --metadata has a form that is not known
  //   and what OpenSqliteStore answers
  absl::StatusOr<std::unique_ptr<Store>> Open(OpenOptions::Mode mode) const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_STORE_FLAGS_H_
