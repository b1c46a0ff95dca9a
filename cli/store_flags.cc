#include "cli/store_flags.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/clock.h"
#include "base/status_util.h"
#include "cli/flag_set.h"
#include "metadata/api/grpc_store.h"
#include "metadata/api/open_store.h"

namespace rekindle {
namespace {

constexpr char kDefaultFile[] = "rekindle.db";

}  // namespace

void StoreFlags::Bind(FlagSet& flags) {
  flags.OptionalString("metadata", "STORE", &metadata,
                       "the metadata store: sqlite:FILE, or grpc://HOST:PORT "
                       "of a 'rekindle serve', grpcs:// with TLS");
  flags.OptionalString("db", "FILE", &db,
                       absl::StrCat("short for --metadata=sqlite:FILE "
                                    "(default: ",
                                    kDefaultFile, ")"));
  flags.String("metadata-ca", "FILE", &tls.ca,
               "of a store with TLS: who must have signed its certificate, PEM "
               "(default: whom this machine trusts)");
  flags.String("metadata-cert", "FILE", &tls.certificate,
               "and the certificate to show it, if it asks for one");
  flags.String("metadata-key", "FILE", &tls.key, "and the certificate's key");
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
  absl::string_view address = *metadata;
  const bool with_tls = absl::ConsumePrefix(&address, "grpcs://");
  if (!with_tls && !tls.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--metadata=", *metadata,
                     " is not grpcs://HOST:PORT, but TLS files are given"));
  }
  absl::StatusOr<std::unique_ptr<Store>> store =
      with_tls ? ConnectTlsStore(std::string(address), tls)
               : OpenStore(*metadata, SystemClock(), options);
  if (absl::IsInvalidArgument(store.status())) {
    return WithContext(store.status(), "--metadata");
  }
  return store;
}

}  // namespace rekindle
