"""What each program of the node is told."""

import json

API = "10.96.0.1"       # the apiserver, at the first address of the services, where pods look for it
DNS = "10.96.0.10"
SERVICES = "10.96.0.0/24"
NODE = "10.250.0.1"
PODS = "10.251.0.0/24"
DOMAIN = "cluster.local"
NAME = "node1"
PAUSE_IMAGE = "local.test/pause:1"

CONTAINERD = """
version = 2
root = "{cache}/containerd"
state = "{run}/containerd"
[grpc]
  address = "{run}/containerd.sock"
[ttrpc]
  address = "{run}/containerd.ttrpc.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  netns_mounts_under_state_dir = true
  restrict_oom_score_adj = true  # where CAP_SYS_RESOURCE is missing, runc may not lower it
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{run}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
"""

COREFILE = """
{domain}:53 in-addr.arpa:53 {{
    bind {dns}
    errors
    health {dns}:8080
    ready {dns}:8181
    kubernetes {domain} in-addr.arpa {{
        kubeconfig {run}/admin.kubeconfig
        pods insecure
        ttl 1
    }}
    cache 1
}}
"""


def pod_network(run):
    """The CNI configuration: a bridge that all pods share."""
    return {
        "cniVersion": "0.4.0", "name": "pods", "plugins": [{
            "type": "bridge", "bridge": "cni0", "isGateway": True, "ipMasq": False, "hairpinMode": True,
            "ipam": {"type": "host-local", "dataDir": str(run / "cni-addresses"), "ranges": [[{"subnet": PODS}]],
                     "routes": [{"dst": "0.0.0.0/0"}]}}]}


def kubelet(run, cgroup):
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "address": NODE,
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": "/" + cgroup,
        "clusterDNS": [DNS],
        "clusterDomain": DOMAIN,
        "containerRuntimeEndpoint": "unix://%s/containerd.sock" % run,
        "enforceNodeAllocatable": ["pods"],
        # A full disk of the machine is not the cluster's business.
        "evictionHard": {"memory.available": "50Mi", "nodefs.available": "0%", "imagefs.available": "0%",
                         "nodefs.inodesFree": "0%", "imagefs.inodesFree": "0%"},
        "failCgroupV1": False,
        "failSwapOn": False,
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "imagePullCredentialsVerificationPolicy": "NeverVerifyPreloadedImages",
        "podLogsDir": str(run / "pod-logs"),
        "resolvConf": str(run / "resolv.conf"),
        "syncFrequency": "10s",
        "volumePluginDir": str(run / "volume-plugins"),
    }


def kube_proxy(run):
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration",
        "bindAddress": "0.0.0.0",
        "clientConnection": {"kubeconfig": str(run / "admin.kubeconfig")},
        "clusterCIDR": PODS,
        # These are settings of the whole machine.
        "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
        "hostnameOverride": NAME,
        "iptables": {"syncPeriod": "10s", "minSyncPeriod": "0s"},
        "mode": "iptables",
    }


def kubeconfig(run, token):
    return {
        "apiVersion": "v1", "kind": "Config", "current-context": "cluster",
        "clusters": [{"name": "cluster", "cluster": {
            "server": "https://%s:443" % API, "certificate-authority": str(run / "pki" / "ca.crt")}}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "cluster", "context": {"cluster": "cluster", "user": "admin", "namespace": "argo"}}],
    }


def etcd(run):
    return ["--data-dir", run / "etcd", "--unsafe-no-fsync", "--log-level", "warn",
            "--listen-client-urls", "http://127.0.0.1:2379", "--advertise-client-urls", "http://127.0.0.1:2379",
            "--listen-peer-urls", "http://127.0.0.1:2380", "--initial-advertise-peer-urls", "http://127.0.0.1:2380",
            "--initial-cluster", "default=http://127.0.0.1:2380"]


def apiserver(run):
    pki = run / "pki"
    return ["--etcd-servers=http://127.0.0.1:2379", "--secure-port=443", "--bind-address=0.0.0.0",
            "--advertise-address=" + NODE, "--service-cluster-ip-range=" + SERVICES,
            "--tls-cert-file=%s/api.crt" % pki, "--tls-private-key-file=%s/api.key" % pki, "--cert-dir=%s" % pki,
            "--token-auth-file=%s/tokens.csv" % pki, "--client-ca-file=%s/ca.crt" % pki, "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-account-key-file=%s/sa.key" % pki, "--service-account-signing-key-file=%s/sa.key" % pki,
            "--allow-privileged=true", "--kubelet-preferred-address-types=InternalIP", "--profiling=false"]


def client_flags(run):
    """Of the programs that talk to the apiserver."""
    return ["--kubeconfig=%s/admin.kubeconfig" % run, "--leader-elect=false", "--cert-dir=%s/pki" % run, "--profiling=false"]


def write_files(run, cache, cgroup):
    """Writes the configuration files of all programs below `run`."""
    files = {
        "containerd.toml": CONTAINERD.format(cache=cache, run=run, pause=PAUSE_IMAGE),
        "Corefile": COREFILE.format(domain=DOMAIN, dns=DNS, run=run),
        "cni/10-pods.conflist": json.dumps(pod_network(run)),
        "kubelet.json": json.dumps(kubelet(run, cgroup)),
        "kube-proxy.json": json.dumps(kube_proxy(run)),
        "resolv.conf": "nameserver 127.0.0.1\n",
    }
    for name, content in files.items():
        path = run / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
