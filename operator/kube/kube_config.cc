#include "operator/kube/kube_config.h"

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "operator/kube/kubeconfig_file.h"
#include "yaml-cpp/yaml.h"

namespace rekindle::argo {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Trimmed(absl::string_view text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

absl::Status Malformed(const NamedEntry& entry, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("kubeconfig ", entry.file, ": ", what));
}

// Fields that would change whom we talk to or who we are, and that this client
// cannot honour: passing them over would be worse than refusing. What is empty
// is as good as absent.
absl::Status RefuseUnsupported(const NamedEntry& entry, const std::string& key,
                               absl::string_view instead) {
  const YAML::Node value = entry.body[key];
  const bool given =
      value && (value.IsScalar() ? !value.Scalar().empty() : value.size() > 0);
  if (!given) return absl::OkStatus();
  return Malformed(entry,
                   absl::StrCat("'", key, "' is not supported; ", instead));
}

absl::StatusOr<NamedEntry> Lookup(
    const std::map<std::string, NamedEntry>& entries, absl::string_view kind,
    const std::string& name, absl::string_view wanted_by) {
  const auto found = entries.find(name);
  if (found != entries.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [key, unused] : entries) names.push_back(key);
  return absl::NotFoundError(absl::StrCat(
      "the kubeconfig has no ", kind, " '", name, "'", wanted_by, "; it has ",
      names.empty() ? "none" : absl::StrJoin(names, ", ")));
}

absl::StatusOr<ExecConfig> ReadExec(const NamedEntry& user) {
  const NamedEntry entry{user.body["exec"], user.file};
  if (!entry.body.IsMap()) return Malformed(user, "'exec' is not a mapping");
  ExecConfig exec;
  RK_ASSIGN_OR_RETURN(exec.api_version, TextField(entry, "apiVersion"));
  RK_ASSIGN_OR_RETURN(exec.command, TextField(entry, "command"));
  RK_ASSIGN_OR_RETURN(exec.install_hint, TextField(entry, "installHint"));
  RK_ASSIGN_OR_RETURN(const std::string provide,
                      TextField(entry, "provideClusterInfo"));
  exec.provide_cluster_info = provide == "true";
  if (exec.command.empty()) return Malformed(user, "'exec' has no command");
  if (!absl::StartsWith(exec.api_version, "client.authentication.k8s.io/")) {
    return Malformed(user,
                     absl::StrCat("'exec' has apiVersion '", exec.api_version,
                                  "', not client.authentication.k8s.io/"
                                  "v1 or v1beta1"));
  }
  RK_ASSIGN_OR_RETURN(const std::string mode,
                      TextField(entry, "interactiveMode"));
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    return Malformed(user, absl::StrCat("'exec' has interactiveMode '", mode,
                                        "'; a plugin gets no terminal here: "
                                        "only Never and IfAvailable work"));
  }
  // A path with a slash is relative to the file, a bare name is for PATH.
  if (absl::StrContains(exec.command, "/")) {
    exec.command = PathBeside(entry, exec.command);
  }
  for (const YAML::Node& arg : entry.body["args"]) {
    exec.args.push_back(arg.as<std::string>());
  }
  for (const YAML::Node& variable : entry.body["env"]) {
    exec.env[variable["name"].as<std::string>()] =
        variable["value"].as<std::string>("");
  }
  return exec;
}

absl::Status RefuseUnsupportedUser(const NamedEntry& entry) {
  RK_RETURN_IF_ERROR(RefuseUnsupported(
      entry, "auth-provider",
      "Kubernetes' own clients dropped it in 1.26 for 'exec' plugins"));
  for (const char* key : {"as-uid", "as-user-extra"}) {
    RK_RETURN_IF_ERROR(
        RefuseUnsupported(entry, key, "impersonate by 'as' and 'as-groups'"));
  }
  return absl::OkStatus();
}

absl::StatusOr<UserConfig> ReadUser(const NamedEntry& entry) {
  RK_RETURN_IF_ERROR(RefuseUnsupportedUser(entry));
  UserConfig user;
  RK_ASSIGN_OR_RETURN(user.token, TextField(entry, "token"));
  RK_ASSIGN_OR_RETURN(user.token_file, TextField(entry, "tokenFile"));
  RK_ASSIGN_OR_RETURN(user.username, TextField(entry, "username"));
  RK_ASSIGN_OR_RETURN(user.password, TextField(entry, "password"));
  RK_ASSIGN_OR_RETURN(user.impersonate, TextField(entry, "as"));
  RK_ASSIGN_OR_RETURN(user.client_cert_pem,
                      DataOrFile(entry, "client-certificate"));
  RK_ASSIGN_OR_RETURN(user.client_key_pem, DataOrFile(entry, "client-key"));
  for (const YAML::Node& group : entry.body["as-groups"]) {
    user.impersonate_groups.push_back(group.as<std::string>());
  }
  if (!user.token_file.empty()) {
    user.token_file = PathBeside(entry, user.token_file);
  }
  if (user.client_cert_pem.empty() != user.client_key_pem.empty()) {
    return Malformed(entry,
                     "client-certificate and client-key need each other, and "
                     "only one is given");
  }
  const YAML::Node exec = entry.body["exec"];
  if (exec && !exec.IsNull()) {
    RK_ASSIGN_OR_RETURN(user.exec, ReadExec(entry));
  }
  return user;
}

absl::Status ReadCluster(const NamedEntry& entry, KubeConfig& config) {
  RK_RETURN_IF_ERROR(RefuseUnsupported(
      entry, "proxy-url", "reach the cluster directly or by a tunnel"));
  RK_ASSIGN_OR_RETURN(const std::string server, TextField(entry, "server"));
  config.server = std::string(absl::StripSuffix(server, "/"));
  if (!absl::StartsWith(config.server, "https://") &&
      !absl::StartsWith(config.server, "http://")) {
    return Malformed(entry, absl::StrCat("server '", config.server,
                                         "' is not an https:// address"));
  }
  RK_ASSIGN_OR_RETURN(config.tls_server_name,
                      TextField(entry, "tls-server-name"));
  RK_ASSIGN_OR_RETURN(const std::string insecure,
                      TextField(entry, "insecure-skip-tls-verify"));
  config.insecure_skip_tls_verify = insecure == "true";
  RK_ASSIGN_OR_RETURN(config.ca_pem,
                      DataOrFile(entry, "certificate-authority"));
  if (config.insecure_skip_tls_verify && !config.ca_pem.empty()) {
    return Malformed(entry,
                     "insecure-skip-tls-verify and certificate-authority "
                     "contradict each other");
  }
  return absl::OkStatus();
}

absl::StatusOr<KubeConfig> FromMerged(const MergedKubeConfig& merged,
                                      const std::string& asked) {
  const std::string name = asked.empty() ? merged.current_context : asked;
  if (name.empty()) {
    return absl::FailedPreconditionError(
        "the kubeconfig has no current-context; name one with --context");
  }
  RK_ASSIGN_OR_RETURN(const NamedEntry context,
                      Lookup(merged.contexts, "context", name, ""));
  const std::string wanted_by = absl::StrCat(" of context '", name, "'");
  RK_ASSIGN_OR_RETURN(const std::string cluster, TextField(context, "cluster"));
  RK_ASSIGN_OR_RETURN(const std::string user, TextField(context, "user"));
  RK_ASSIGN_OR_RETURN(const std::string names, TextField(context, "namespace"));

  KubeConfig config;
  config.source = absl::StrCat("context '", name, "'");
  if (!names.empty()) config.default_namespace = names;
  RK_ASSIGN_OR_RETURN(const NamedEntry cluster_entry,
                      Lookup(merged.clusters, "cluster", cluster, wanted_by));
  RK_RETURN_IF_ERROR(ReadCluster(cluster_entry, config));
  if (user.empty()) return config;  // anonymous
  RK_ASSIGN_OR_RETURN(const NamedEntry user_entry,
                      Lookup(merged.users, "user", user, wanted_by));
  RK_ASSIGN_OR_RETURN(config.user, ReadUser(user_entry));
  return config;
}

absl::StatusOr<KubeConfig> FromPod(const std::string& account_folder) {
  const std::string host = Variable("KUBERNETES_SERVICE_HOST");
  const std::string port = Variable("KUBERNETES_SERVICE_PORT");
  KubeConfig config;
  config.source = "the account of this pod";
  config.server = absl::StrCat(
      "https://",
      absl::StrContains(host, ":") ? absl::StrCat("[", host, "]") : host, ":",
      port.empty() ? "443" : port);
  config.user.token_file = JoinPath(account_folder, "token");
  absl::StatusOr<std::string> ca = ReadFile(JoinPath(account_folder, "ca.crt"));
  if (!ca.ok()) {
    return WithContext(ca.status(),
                       "this pod has no account of its own to reach the "
                       "cluster with (automountServiceAccountToken?)");
  }
  config.ca_pem = *std::move(ca);
  const auto names = ReadFile(JoinPath(account_folder, "namespace"));
  if (names.ok()) config.default_namespace = Trimmed(*names);
  return config;
}

std::vector<std::string> FilesOfVariable() {
  return absl::StrSplit(Variable("KUBECONFIG"), ':', absl::SkipEmpty());
}

}  // namespace

absl::StatusOr<KubeConfig> LoadKubeConfig(const KubeConfigOptions& options) {
  std::vector<std::string> files;
  if (!options.kubeconfig.empty()) {
    files = {options.kubeconfig};
  } else if (files = FilesOfVariable(); files.empty()) {
    files = {JoinPath(Variable("HOME"), ".kube/config")};
  }
  RK_ASSIGN_OR_RETURN(const MergedKubeConfig merged,
                      ReadKubeConfigFiles(files, options.kubeconfig.empty()));
  const bool configured = !merged.contexts.empty() || !merged.clusters.empty();
  if (configured || !options.context.empty()) {
    try {
      return FromMerged(merged, options.context);
    } catch (const YAML::Exception& error) {
      return absl::InvalidArgumentError(absl::StrCat(
          "kubeconfig ", absl::StrJoin(files, ", "), ": ", error.what()));
    }
  }
  if (!Variable("KUBERNETES_SERVICE_HOST").empty()) {
    return FromPod(options.account_folder);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "no cluster is configured: ", absl::StrJoin(files, ", "),
      " names none, and this is not a pod; set KUBECONFIG or --kubeconfig"));
}

}  // namespace rekindle::argo
