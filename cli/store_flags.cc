#include "cli/store_flags.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/status_util.h"
#include "cli/flag_set.h"
#include "metadata/api/open_store.h"

namespace rekindle {
namespace {

constexpr char kDefaultFile[] = "rekindle.db";

}  // namespace

void StoreFlags::Bind(FlagSet& flags) {
  flags.OptionalString("metadata", "STORE", &metadata,
                       "the metadata store: sqlite:FILE, or grpc://HOST:PORT "
                       "of a 'rekindle serve'");
  flags.OptionalString("db", "FILE", &db,
                       absl::StrCat("short for --metadata=sqlite:FILE "
                                    "(default: ",
                                    kDefaultFile, ")"));
}

absl::StatusOr<std::unique_ptr<Store>> StoreFlags::Open(
    OpenOptions::Mode mode) const {
  const OpenOptions options = {.mode = mode};
  const std::string file = db.value_or(kDefaultFile);
  if (!metadata.has_value()) {
    return OpenSqliteStore(file, SystemClock(), options);
  }
  if (db.has_value() && *metadata != absl::StrCat("sqlite:", file) &&
      *metadata != file) {
    return absl::InvalidArgumentError(
        absl::StrCat("--metadata=", *metadata, " and --db=", file,
                     " name two stores; give one of them"));
  }
  absl::StatusOr<std::unique_ptr<Store>> store =
      OpenStore(*metadata, SystemClock(), options);
  if (absl::IsInvalidArgument(store.status())) {
    return WithContext(store.status(), "--metadata");
  }
  return store;
}

}  // namespace rekindle
