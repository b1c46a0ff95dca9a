#ifndef REKINDLE_CLI_STORE_FLAGS_H_
#define REKINDLE_CLI_STORE_FLAGS_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/flag_set.h"
#include "metadata/api/open_store.h"
#include "metadata/api/tls_files.h"

namespace rekindle {

// --metadata, its short form --db and the files of its TLS, the same on every
// command.
struct StoreFlags {
  std::optional<std::string> metadata;
  std::optional<std::string> db;
  TlsFiles tls;

  void Bind(FlagSet& flags);

  // Opens the store that the flags name; rekindle.db in the working folder when
  // neither is given. A server is connected to with the first call.
  //
  //   INVALID_ARGUMENT  --metadata has a form that is not known, or --db names
  //                     another store
  //   and what OpenSqliteStore answers
  absl::StatusOr<std::unique_ptr<Store>> Open(OpenOptions::Mode mode) const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_STORE_FLAGS_H_
