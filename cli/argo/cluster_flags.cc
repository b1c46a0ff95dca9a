#include "cli/argo/cluster_flags.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/cancellation.h"
#include "base/status_macros.h"
#include "cli/flag_set.h"
#include "operator/kube/http_kube_client.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/kube_config.h"
#include "operator/kube/retrying_kube_client.h"

namespace rekindle {
namespace {

// How long a person waits for a cluster that may not be there, after it did
// not answer, and how long we wait for one that was.
constexpr absl::Duration kFirstContact = absl::Seconds(5);
constexpr absl::Duration kOutage = absl::Minutes(10);

Backoff::Options Patience(absl::Duration total) {
  Backoff::Options options;
  options.first = absl::Milliseconds(200);
  options.total = total;
  options.sleep = [](absl::Duration duration) {
    return SleepUnlessReadable(Cancellation::Get().fd(), duration);
  };
  return options;
}

void Complain(const absl::Status& status) {
  std::cerr << "rekindle: " << status.message() << "; trying again\n";
}

}  // namespace

void ClusterFlags::Bind(FlagSet& flags) {
  flags.String("kubeconfig", "FILE", &kubeconfig,
               "the cluster and who we are there; $KUBECONFIG, ~/.kube/config "
               "or the account of this pod if not given");
  flags.String("context", "NAME", &context,
               "a context of the kubeconfig other than its current one");
  flags.String("namespace", "NAME", &in_namespace,
               "where the workflows are; the context's if not given");
  flags.Letter('n', "namespace");
}

absl::StatusOr<Cluster> ClusterFlags::Connect() const {
  argo::KubeConfigOptions where;
  where.kubeconfig = kubeconfig;
  where.context = context;
  RK_ASSIGN_OR_RETURN(argo::KubeConfig config, argo::LoadKubeConfig(where));
  Cluster cluster;
  cluster.in_namespace =
      in_namespace.empty() ? config.default_namespace : in_namespace;
  argo::HttpKubeClientOptions http;
  http.cancel_fd = Cancellation::Get().fd();
  RK_ASSIGN_OR_RETURN(auto client,
                      argo::MakeHttpKubeClient(std::move(config), http));
  argo::RetryOptions retry;
  retry.backoff = Patience(kFirstContact);
  cluster.client =
      argo::MakeRetryingKubeClient(std::move(client), std::move(retry));
  cluster.follow.backoff = Patience(kOutage);
  cluster.follow.on_lost = Complain;
  return cluster;
}

}  // namespace rekindle
