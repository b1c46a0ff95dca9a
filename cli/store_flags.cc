#include "cli/store_flags.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/clock.h"
#include "cli/flag_set.h"
#include "metadata/api/open_store.h"

namespace rekindle {

void StoreFlags::Bind(FlagSet& flags) {
  flags.String("db", "FILE", &db, "the metadata store, a SQLite file");
  flags.String("metadata", "sqlite:FILE", &metadata,
               "the metadata store; instead of --db");
}

absl::StatusOr<std::unique_ptr<Store>> StoreFlags::Open(
    OpenOptions::Mode mode) const {
  OpenOptions options;
  options.mode = mode;
  if (metadata.empty()) return OpenSqliteStore(db, SystemClock(), options);
  absl::string_view path = metadata;
  if (absl::ConsumePrefix(&path, "sqlite:") && !path.empty()) {
    return OpenSqliteStore(std::string(path), SystemClock(), options);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--metadata: '", metadata, "' is no store; use sqlite:FILE"));
}

}  // namespace rekindle
