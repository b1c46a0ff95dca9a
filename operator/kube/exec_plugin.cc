#include "operator/kube/exec_plugin.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/wait.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/cancellation.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "nlohmann/json.hpp"
#include "operator/kube/credentials.h"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_config.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

std::vector<std::string> Environment(const ExecConfig& exec,
                                     const std::string& cluster_info) {
  json info = {{"apiVersion", exec.api_version},
               {"kind", "ExecCredential"},
               {"spec", {{"interactive", false}}}};
  if (!cluster_info.empty()) {
    info["spec"]["cluster"] = json::parse(cluster_info);
  }
  std::map<std::string, std::string> added = exec.env;
  added["KUBERNETES_EXEC_INFO"] = info.dump();
  std::vector<std::string> lines;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string line = *entry;
    if (!added.contains(line.substr(0, line.find('=')))) lines.push_back(line);
  }
  for (const auto& [name, value] : added) {
    lines.push_back(absl::StrCat(name, "=", value));
  }
  return lines;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts `argv` with its standard output going to `output_fd`; 0 or an errno.
int Spawn(std::vector<std::string> argv, std::vector<std::string> environment,
          int output_fd, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  // That a closed pipe does not end us is our own affair.
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGPIPE);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &ours);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error =
      posix_spawnp(pid, argv[0].c_str(), &actions, &attributes,
                   Pointers(argv).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Waits until `fd` is readable. False if `cancel_fd` is.
bool Await(int fd, int cancel_fd) {
  std::array<pollfd, 2> fds = {{{fd, POLLIN, 0}, {cancel_fd, POLLIN, 0}}};
  // A signal cuts it short; if it was for us, the descriptor tells.
  while (poll(fds.data(), fds.size(), -1) < 0) {
  }
  return fds[1].revents == 0;
}

// Nothing if `cancel_fd` became readable before the end.
std::optional<std::string> ReadToEnd(int fd, int cancel_fd) {
  std::string text;
  std::array<char, 4096> buffer;
  while (Await(fd, cancel_fd)) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(n));
  }
  return std::nullopt;
}

// Ends a process, in its own way if that takes no longer than a second: who
// has ended has hung up on its output.
void End(pid_t pid, int output_fd) {
  kill(pid, SIGTERM);
  pollfd hung_up = {output_fd, 0, 0};
  if (poll(&hung_up, 1, /*milliseconds=*/1000) != 1) kill(pid, SIGKILL);
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

absl::Status NotStarted(const ExecConfig& exec, int error) {
  if (error != ENOENT) {
    return ErrnoStatus(error, "start the credential plugin", exec.command);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the credential plugin '", exec.command,
      "' that the kubeconfig names is not installed",
      exec.install_hint.empty() ? "" : absl::StrCat("; ", exec.install_hint)));
}

absl::Status Useless(const ExecConfig& exec, const std::string& why) {
  return absl::UnauthenticatedError(
      absl::StrCat("the credential plugin '", exec.command, "' ", why));
}

// What is null is as good as absent.
bool FieldsAreText(const json& status) {
  for (const char* key : {"token", "clientCertificateData", "clientKeyData",
                          "expirationTimestamp"}) {
    const auto field = status.find(key);
    if (field == status.end() || field->is_null()) continue;
    if (!field->is_string()) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Credential> RunExecPlugin(const ExecConfig& exec,
                                         const std::string& cluster_info,
                                         int cancel_fd) {
  std::array<int, 2> fds;
  if (pipe2(fds.data(), O_CLOEXEC) != 0) {
    return ErrnoStatus(errno, "make", "a pipe");
  }
  std::vector<std::string> argv = {exec.command};
  argv.insert(argv.end(), exec.args.begin(), exec.args.end());
  pid_t pid = 0;
  const int error =
      Spawn(std::move(argv), Environment(exec, cluster_info), fds[1], &pid);
  close(fds[1]);
  const absl::Cleanup close_output = [fd = fds[0]] { close(fd); };
  if (error != 0) return NotStarted(exec, error);
  const std::optional<std::string> output = ReadToEnd(fds[0], cancel_fd);
  if (!output.has_value()) End(pid, fds[0]);
  const int code = WaitFor(pid);
  // Ctrl-C reaches the plugin, too, and may end it before we see it.
  if (!SleepUnlessReadable(cancel_fd, absl::ZeroDuration())) {
    return absl::CancelledError("interrupted");
  }
  if (code != 0) {
    return Useless(exec, absl::StrCat("ended with exit code ", code));
  }
  return ParseExecCredential(output.value_or(""), exec);
}

absl::StatusOr<Credential> ParseExecCredential(const std::string& text,
                                               const ExecConfig& exec) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("status") ||
      !object["status"].is_object()) {
    return Useless(exec, "did not print an ExecCredential with a status");
  }
  const std::string version = TextAt(object, "/apiVersion");
  if (version != exec.api_version) {
    return Useless(
        exec, absl::StrCat("speaks '", version, "', but the kubeconfig says '",
                           exec.api_version, "'"));
  }
  if (!FieldsAreText(object["status"])) {
    return Useless(exec, "printed a status whose fields are not text");
  }
  Credential credential;
  credential.token = TextAt(object, "/status/token");
  credential.client_cert_pem = TextAt(object, "/status/clientCertificateData");
  credential.client_key_pem = TextAt(object, "/status/clientKeyData");
  const std::string expires = TextAt(object, "/status/expirationTimestamp");
  std::string error;
  if (!expires.empty() && !absl::ParseTime(absl::RFC3339_full, expires,
                                           &credential.expires, &error)) {
    return Useless(exec, absl::StrCat("gave an expirationTimestamp that is "
                                      "not RFC 3339: '",
                                      expires, "'"));
  }
  if (credential.token.empty() && credential.client_cert_pem.empty()) {
    return Useless(exec, "gave neither a token nor a client certificate");
  }
  return credential;
}

}  // namespace rekindle::argo
