#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <malloc.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/cancellation.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/store_flags.h"
#include "metadata/api/file_owner.h"
#include "metadata/api/grpc_store.h"
#include "metadata/api/open_store.h"
#include "metadata/api/tls_files.h"
#include "metadata/server/metadata_server.h"

namespace rekindle {
namespace {

// From the end of the grace to the end of the process.
constexpr absl::Duration kGoodbye = absl::Seconds(1);

struct ServeFlags {
  std::string db = "rekindle.db";
  std::string host = ServerOptions().host;
  std::optional<int64_t> grpc_port = ServerOptions().grpc_port;
  std::optional<int64_t> http_port;
  std::optional<int64_t> max_message_bytes = ServerOptions().max_message_bytes;
  absl::Duration max_call_time = ServerOptions().max_call_time;
  absl::Duration max_stall_time = ServerOptions().max_stall_time;
  std::optional<int64_t> max_spool_bytes = ServerOptions().max_spool_bytes;
  std::optional<int64_t> max_connections;
  TlsFiles tls;
  std::string token_file;
  bool insecure = false;
  std::string audit_log;
  std::vector<std::string> http_allowed_hosts;
  bool read_only = false;
  absl::Duration grace = absl::Seconds(30);
  bool check = false;
  TlsFiles shown_by_check;
  std::string token_of_check;

  void Bind(FlagSet& flags) {
    flags.String("db", "FILE", &db,
                 "the metadata store, a SQLite file; created if absent");
    flags.String("host", "ADDRESS", &host,
                 "whom to serve; 0.0.0.0 is everyone who reaches the port, and "
                 "needs --token-file or --tls-client-ca");
    flags.OptionalInt("grpc-port", "N", &grpc_port,
                      "the port for gRPC; 0 is any free one (default: 8080)");
    flags.OptionalInt("http-port", "N", &http_port,
                      "the port for HTTP and JSON, health and metrics; 0 is "
                      "any free one (default: no HTTP)");
    flags.OptionalInt("max-message-bytes", "N", &max_message_bytes,
                      "the largest request or answer (default: 64 MiB)");
    flags.Duration("max-call-time", &max_call_time,
                   "how long one call may read");
    flags.Duration("max-stall-time", &max_stall_time,
                   "how long to wait for a gRPC client that takes no answer or "
                   "sends no more of its request");
    flags.OptionalInt("max-spool-bytes", "N", &max_spool_bytes,
                      "the largest backup, export or load; it is put aside in "
                      "the folder TMPDIR (default: 4 GiB)");
    flags.OptionalInt("max-connections", "N", &max_connections,
                      "connections of each port at once; one address may have "
                      "half of them (default: 512, or fewer if the limit on "
                      "open files is low)");
    flags.String("tls-cert", "FILE", &tls.certificate,
                 "encrypt both ports: the server's certificate, PEM");
    flags.String("tls-key", "FILE", &tls.key, "and the certificate's key");
    flags.String("tls-client-ca", "FILE", &tls.ca,
                 "and take only clients with a certificate that this one "
                 "has signed");
    flags.String("token-file", "FILE", &token_file,
                 "who may do what: a line for each token and certificate, as "
                 "'rekindle token new' prints it (default: everyone, "
                 "everything)");
    flags.Bool("insecure", &insecure,
               "serve others than this machine although everyone who reaches "
               "the port may write and delete");
    flags.String("audit-log", "FILE", &audit_log,
                 "a line of JSON for every write and every refusal; - is the "
                 "standard output (default: none)");
    flags.Strings("http-allowed-host", "NAME", &http_allowed_hosts,
                  "a name by which HTTP may be called, besides --host, "
                  "localhost, addresses and the certificate's; may be "
                  "repeated");
    flags.Bool("read-only", &read_only,
               "refuse writes; the file must exist and is never changed");
    flags.Duration("grace", &grace,
                   "how long SIGTERM waits for calls that are under way");
    flags.Bool("check", &check,
               "serve nothing; ask the server at this host and port whether "
               "its store answers: exit code 0 if it does, 75 if not");
    flags.String("metadata-cert", "FILE", &shown_by_check.certificate,
                 "and what to show it, with --tls-client-ca (default: what "
                 "--tls-cert names)");
    flags.String("metadata-key", "FILE", &shown_by_check.key,
                 "and the certificate's key");
    flags.String("metadata-token-file", "FILE", &token_of_check,
                 "and the token to show it, a reader's (default: what "
                 "REKINDLE_METADATA_TOKEN holds, if anything)");
  }
};

// `value` as an int, which must lie between `low` and `high`.
absl::StatusOr<int> InRange(absl::string_view flag, int64_t value, int low,
                            int high) {
  if (value >= low && value <= high) return static_cast<int>(value);
  return absl::InvalidArgumentError(absl::StrCat(
      "--", flag, " is ", value, "; it must be from ", low, " to ", high));
}

absl::StatusOr<ServerOptions> OptionsFrom(const ServeFlags& flags) {
  constexpr int kMaxPort = 65535;
  ServerOptions options;
  options.host = flags.host;
  RK_ASSIGN_OR_RETURN(options.grpc_port,
                      InRange("grpc-port", *flags.grpc_port, 0, kMaxPort));
  if (flags.http_port.has_value()) {
    RK_ASSIGN_OR_RETURN(options.http_port,
                        InRange("http-port", *flags.http_port, 0, kMaxPort));
  }
  RK_ASSIGN_OR_RETURN(options.max_message_bytes,
                      InRange("max-message-bytes", *flags.max_message_bytes, 1,
                              std::numeric_limits<int>::max()));
  if (flags.max_call_time == absl::ZeroDuration()) {
    return absl::InvalidArgumentError("--max-call-time must be more than 0");
  }
  options.max_call_time = flags.max_call_time;
  if (flags.max_stall_time == absl::ZeroDuration()) {
    return absl::InvalidArgumentError("--max-stall-time must be more than 0");
  }
  options.max_stall_time = flags.max_stall_time;
  if (*flags.max_spool_bytes < 1) {
    return absl::InvalidArgumentError(absl::StrCat("--max-spool-bytes is ",
                                                   *flags.max_spool_bytes,
                                                   "; it must be more than 0"));
  }
  options.max_spool_bytes = *flags.max_spool_bytes;
  if (flags.max_connections.has_value()) {
    RK_ASSIGN_OR_RETURN(options.max_connections,
                        InRange("max-connections", *flags.max_connections, 1,
                                std::numeric_limits<int>::max()));
  }
  options.tls = flags.tls;
  options.token_file = flags.token_file;
  options.insecure = flags.insecure;
  options.audit_log = flags.audit_log;
  options.http_allowed_hosts = flags.http_allowed_hosts;
  options.database_file = flags.db;
  options.version = REKINDLE_VERSION;
  return options;
}

// Flushed at once: whoever started us waits for this line.
void Announce(absl::string_view scheme, const std::string& host, int port) {
  std::cout << "listening on " << scheme << "://" << HostAndPort(host, port)
            << '\n'
            << std::flush;
}

// Blocks until SIGTERM or SIGINT. From then on either ends the process at once.
void WaitForSignal() {
  Cancellation& cancellation = Cancellation::Get();
  pollfd asked = {cancellation.fd(), POLLIN, 0};
  while (cancellation.count() == 0) poll(&asked, 1, /*timeout=*/-1);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  if (cancellation.count() > 1) std::raise(cancellation.signal());
}

// Ends the process when its end takes longer than it may: a call that cannot be
// interrupted is under way. What was answered is on the disk, and what was not
// is undone by whoever opens the database next.
void EndAnywayAfter(absl::Duration time) {
  std::thread([time] {
    absl::SleepFor(time);
    std::cerr << "rekindle: calls were under way when the grace was over\n";
    std::_Exit(kOk);
  }).detach();
}

// Gives the memory of large messages back to the system when they are gone. By
// default the C library keeps it, and as much for every thread.
void ReturnLargeMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

absl::Status Serve(const ServeFlags& flags) {
  RK_ASSIGN_OR_RETURN(const ServerOptions options, OptionsFrom(flags));
  ReturnLargeMemory();
  // Before the first thread, so that a signal during the start is not lost.
  Cancellation::Get();
  RK_ASSIGN_OR_RETURN(
      const std::unique_ptr<Store> store,
      OpenSqliteStore(flags.db, SystemClock(),
                      {.mode = flags.read_only ? OpenOptions::Mode::kReadOnly
                                               : OpenOptions::Mode::kCreate}));
  std::unique_ptr<FileOwner> owner;  // of what is written
  if (!flags.read_only) {
    RK_ASSIGN_OR_RETURN(owner, FileOwner::Own(flags.db, SystemClock()));
  }
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<MetadataServer> server,
                      StartMetadataServer(*store, options));
  if (owner != nullptr) {
    RK_RETURN_IF_ERROR(
        owner->Announce(HostAndPort(options.host, server->grpc_port())));
  }
  Announce(options.tls.empty() ? "grpc" : "grpcs", options.host,
           server->grpc_port());
  if (options.http_port.has_value()) {
    Announce(options.tls.empty() ? "http" : "https", options.host,
             server->http_port());
  }
  WaitForSignal();
  EndAnywayAfter(flags.grace + kGoodbye);
  server->Shutdown(flags.grace);
  return absl::OkStatus();
}

// Where to reach, from this machine, who serves `host`.
std::string LocalAddressOf(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  return host == "::" || host == "[::]" ? "::1" : host;
}

// The store behind the server that these flags start.
absl::StatusOr<std::unique_ptr<Store>> ConnectToServer(
    const ServeFlags& flags) {
  RK_ASSIGN_OR_RETURN(const ServerOptions options, OptionsFrom(flags));
  const std::string address =
      HostAndPort(LocalAddressOf(options.host), options.grpc_port);
  // Its certificate is for the name that others call it by.
  GrpcOptions ours = {.verify_server = false};
  RK_ASSIGN_OR_RETURN(ours.token, TakeCallToken(flags.token_of_check));
  if (options.tls.empty()) return ConnectGrpcStore(address, ours);
  return ConnectTlsStore(
      address,
      flags.shown_by_check.empty() ? options.tls : flags.shown_by_check, ours);
}

// Asks a server for what takes it to its store and back. One that does not know
// us does not do that for us, but it lives.
absl::Status Check(const ServeFlags& flags) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                      ConnectToServer(flags));
  absl::Status answer = store->metadata().GetContextTypes({}).status();
  return absl::IsUnauthenticated(answer) ? absl::OkStatus() : answer;
}

}  // namespace

int ServeCommand(const Arguments& arguments) {
  ServeFlags serve;
  FlagSet flags(
      "serve [flags]",
      "Serves a metadata store, ML Metadata's calls and the steps', over gRPC "
      "and HTTP.\nPrints one line per port, 'listening on SCHEME://HOST:PORT', "
      "once it takes calls.\nSIGTERM or SIGINT takes no more calls, finishes "
      "those under way and exits with 0;\na second one ends it at once.",
      "rekindle serve --db=rekindle.db --grpc-port=8080 --http-port=8081");
  serve.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  // What gRPC logs, Fail() says in a sentence.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  const absl::Status served = serve.check ? Check(serve) : Serve(serve);
  return served.ok() ? kOk : Fail(served);
}

}  // namespace rekindle
