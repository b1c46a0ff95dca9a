#ifndef REKINDLE_CLI_ARGO_CLUSTER_FLAGS_H_
#define REKINDLE_CLI_ARGO_CLUSTER_FLAGS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/flag_set.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"

namespace rekindle {

// A cluster that is talked to.
struct Cluster {
  std::unique_ptr<argo::KubeClient> client;
  std::string in_namespace;
  argo::FollowOptions follow;
};

// --kubeconfig, --context and --namespace, the same on every command that talks
// to a cluster.
struct ClusterFlags {
  std::string kubeconfig;
  std::string context;
  std::string in_namespace;

  void Bind(FlagSet& flags);

  // Nothing is sent yet. From now on Ctrl-C ends calls with CANCELLED.
  //
  //   as argo::LoadKubeConfig
  absl::StatusOr<Cluster> Connect() const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_ARGO_CLUSTER_FLAGS_H_
