#ifndef REKINDLE_OPERATOR_KUBE_KUBE_CONFIG_H_
#define REKINDLE_OPERATOR_KUBE_KUBE_CONFIG_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rekindle::argo {

// A program that gives a credential, as kubectl runs it: `exec` in a
// kubeconfig.
struct ExecConfig {
  std::string api_version;
  std::string command;  // a path, or a name looked up in PATH
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::string install_hint;
  bool provide_cluster_info = false;
};

// Who we are to a cluster. What is not given is empty.
struct UserConfig {
  std::string token;
  std::string token_file;  // read again for every call: its content rotates
  std::string client_cert_pem;
  std::string client_key_pem;
  std::string username;
  std::string password;
  std::optional<ExecConfig> exec;
  std::string impersonate;
  std::vector<std::string> impersonate_groups;
};

// How a cluster is reached. A plain value; what the kubeconfig keeps in files
// is read already, but for the token file.
struct KubeConfig {
  std::string server;  // "https://10.0.0.1:6443", without a slash at the end
  std::string tls_server_name;  // empty: the server's own name
  std::string ca_pem;           // empty: the roots of this machine
  bool insecure_skip_tls_verify = false;
  std::string default_namespace = "default";
  std::string source;  // for messages: "context 'prod'", "this pod's account"
  UserConfig user;
};

// Where to look, as people say it by flags; empty: not said.
struct KubeConfigOptions {
  std::string kubeconfig;  // a file
  std::string context;
  // Where a pod finds its account, and what it is told of its cluster.
  std::string account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// The cluster that kubectl would talk to: of --kubeconfig, else of the files in
// KUBECONFIG, merged, else of ~/.kube/config, else the one whose pod we are.
//
//   INVALID_ARGUMENT     a file is malformed, or asks for what is not supported
//                        (named: proxy-url, auth-provider, as-uid,
//                        as-user-extra, a plugin's interactiveMode Always)
//   NOT_FOUND            a named file, context, cluster or user does not exist
//   FAILED_PRECONDITION  no cluster is configured
absl::StatusOr<KubeConfig> LoadKubeConfig(const KubeConfigOptions& options);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_KUBE_CONFIG_H_
