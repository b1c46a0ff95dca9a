#ifndef REKINDLE_CLI_STORE_FLAGS_H_
#define REKINDLE_CLI_STORE_FLAGS_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/flag_set.h"
#include "metadata/api/call_token.h"
#include "metadata/api/open_store.h"
#include "metadata/api/tls_files.h"

namespace rekindle {

// The token in `file`, or in REKINDLE_METADATA_TOKEN, which is then no longer
// in the environment; null if neither is given.
//
//   INVALID_ARGUMENT  both are given, or it is no token
//   NOT_FOUND, PERMISSION_DENIED  the file cannot be read
absl::StatusOr<std::shared_ptr<CallToken>> TakeCallToken(
    const std::string& file);

// --metadata, its short form --db, the files of its TLS and the token for it,
// the same on every command.
struct StoreFlags {
  std::optional<std::string> metadata;
  std::optional<std::string> db;
  TlsFiles tls;
  std::string token_file;
  bool plaintext_token = false;

  void Bind(FlagSet& flags);

  // Opens the store that the flags name; rekindle.db in the working folder when
  // neither is given. A server is connected to with the first call, and shown
  // the token in --metadata-token-file or in REKINDLE_METADATA_TOKEN, which is
  // then no longer in the environment: no child of ours gets it.
  //
  //   INVALID_ARGUMENT  --metadata has a form that is not known, --db names
  //                     another store, or the token could be overheard
  //   and what OpenSqliteStore and ReadCallToken answer
  absl::StatusOr<std::unique_ptr<Store>> Open(OpenOptions::Mode mode) const;

 private:
  absl::StatusOr<std::unique_ptr<Store>> Connect(absl::string_view address,
                                                 bool with_tls) const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_STORE_FLAGS_H_
