#ifndef REKINDLE_OPERATOR_KUBE_KUBECONFIG_FILE_H_
#define REKINDLE_OPERATOR_KUBE_KUBECONFIG_FILE_H_
// Internal to operator/kube.

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "yaml-cpp/yaml.h"

namespace rekindle::argo {

// Something named in a kubeconfig, and where it was said: relative paths in it
// are relative to that folder.
struct NamedEntry {
  YAML::Node body;
  std::string file;
};

// Kubeconfig files put together as kubectl does it: who says a thing first is
// right.
struct MergedKubeConfig {
  std::string current_context;
  std::map<std::string, NamedEntry> contexts;
  std::map<std::string, NamedEntry> clusters;
  std::map<std::string, NamedEntry> users;
};

// Reads `files`; those that do not exist are passed over if `optional`.
//
//   INVALID_ARGUMENT  one is not a kubeconfig
//   NOT_FOUND         one does not exist, and is not optional
absl::StatusOr<MergedKubeConfig> ReadKubeConfigFiles(
    const std::vector<std::string>& files, bool optional);

// A field of an entry as text; empty if there is none.
//
//   INVALID_ARGUMENT  it is not a scalar
absl::StatusOr<std::string> TextField(const NamedEntry& entry,
                                      const std::string& key);

// What `key`-data holds in base64, or the file that `key` names; empty if
// neither is given.
//
//   INVALID_ARGUMENT  it is not base64
//   NOT_FOUND         there is no such file
absl::StatusOr<std::string> DataOrFile(const NamedEntry& entry,
                                       const std::string& key);

// `path` as seen from the folder of the entry's file.
std::string PathBeside(const NamedEntry& entry, const std::string& path);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_KUBECONFIG_FILE_H_
