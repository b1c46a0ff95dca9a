#include "cli/store_flags.h"

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/clock.h"
#include "base/secret_variable.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "cli/flag_set.h"
#include "metadata/api/call_token.h"
#include "metadata/api/grpc_store.h"
#include "metadata/api/open_store.h"

namespace rekindle {
namespace {

constexpr char kDefaultFile[] = "rekindle.db";

// What REKINDLE_METADATA_TOKEN held until this was first called.
const std::optional<std::string>& TokenVariable() {
  static const auto& token = *new std::optional<std::string>(
      TakeSecretVariable("REKINDLE_METADATA_TOKEN"));
  return token;
}

// Whether "HOST:PORT" is reached without a network.
bool IsThisMachine(absl::string_view address) {
  const absl::string_view host = address.substr(0, address.rfind(':'));
  return host == "localhost" || host == "[::1]" ||
         (absl::StartsWith(host, "127.") &&
          host.find_first_not_of("0123456789.") == absl::string_view::npos);
}

}  // namespace

absl::StatusOr<std::shared_ptr<CallToken>> TakeCallToken(
    const std::string& file) {
  const std::optional<std::string>& token = TokenVariable();
  if (token.has_value() && !file.empty()) {
    return absl::InvalidArgumentError(
        "a token is given twice, in REKINDLE_METADATA_TOKEN and by "
        "--metadata-token-file; give one of them");
  }
  if (!file.empty()) return ReadCallToken(file);
  if (!token.has_value()) return nullptr;
  const auto made = MakeCallToken(*token);
  if (!made.ok()) return WithContext(made.status(), "REKINDLE_METADATA_TOKEN");
  return made;
}

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
  flags.String("metadata-token-file", "FILE", &token_file,
               "the token to show a server, read anew when it is replaced "
               "(default: what REKINDLE_METADATA_TOKEN holds, if anything)");
  flags.Bool("metadata-plaintext-token", &plaintext_token,
             "send it to other machines without TLS, on a network where nobody "
             "listens");
}

absl::StatusOr<std::unique_ptr<Store>> StoreFlags::Open(
    OpenOptions::Mode mode) const {
  // Children get it from no step, whatever its store is.
  TokenVariable();
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
  const bool plain = !with_tls && absl::ConsumePrefix(&address, "grpc://");
  if (!with_tls && !tls.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--metadata=", *metadata,
                     " is not grpcs://HOST:PORT, but TLS files are given"));
  }
  absl::StatusOr<std::unique_ptr<Store>> store =
      (with_tls || plain) && !address.empty()
          ? Connect(address, with_tls)
          : OpenStore(*metadata, SystemClock(), options);
  if (absl::IsInvalidArgument(store.status())) {
    return WithContext(store.status(), "--metadata");
  }
  return store;
}

absl::StatusOr<std::unique_ptr<Store>> StoreFlags::Connect(
    absl::string_view address, bool with_tls) const {
  GrpcOptions options;
  RK_ASSIGN_OR_RETURN(options.token, TakeCallToken(token_file));
  const std::string server(address);
  if (with_tls) return ConnectTlsStore(server, tls, options);
  if (options.token != nullptr && !plaintext_token && !IsThisMachine(address)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the token for ", address,
                     " could be overheard on the way; use grpcs://, or say "
                     "--metadata-plaintext-token where nobody listens"));
  }
  return ConnectGrpcStore(server, options);
}

}  // namespace rekindle
