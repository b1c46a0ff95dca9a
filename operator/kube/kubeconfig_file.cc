#include "operator/kube/kubeconfig_file.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "base/yaml_limits.h"
#include "yaml-cpp/yaml.h"

namespace rekindle::argo {
namespace {

absl::StatusOr<YAML::Node> ParseYaml(const std::string& text,
                                     const std::string& file) {
  if (const auto excess = FindYamlExcess(text); excess.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "kubeconfig ", file, ":", excess->line, ": ", excess->what));
  }
  try {
    YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return YAML::Node(YAML::NodeType::Map);
    if (root.IsMap()) return root;
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(
        "kubeconfig ", file, ":", error.mark.line + 1, ": ", error.msg));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("kubeconfig ", file,
                   " is not a mapping of clusters, users "
                   "and contexts"));
}

// The list at `list_key`, each of its items {name: ..., item_key: {...}}.
absl::Status MergeList(const YAML::Node& root, const std::string& list_key,
                       const std::string& item_key, const std::string& file,
                       std::map<std::string, NamedEntry>& into) {
  const YAML::Node list = root[list_key];
  if (!list || list.IsNull()) return absl::OkStatus();
  for (const YAML::Node& item : list) {
    if (!item.IsMap() || !item["name"] || !item["name"].IsScalar()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "kubeconfig ", file, ": an entry of ", list_key, " has no name"));
    }
    const YAML::Node body = item[item_key];
    into.emplace(
        item["name"].Scalar(),
        NamedEntry{
            body && body.IsMap() ? body : YAML::Node(YAML::NodeType::Map),
            file});
  }
  return absl::OkStatus();
}

absl::Status MergeFile(const std::string& file, MergedKubeConfig& into) {
  RK_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  RK_ASSIGN_OR_RETURN(const YAML::Node root, ParseYaml(text, file));
  const YAML::Node current = root["current-context"];
  if (into.current_context.empty() && current && current.IsScalar()) {
    into.current_context = current.Scalar();
  }
  RK_RETURN_IF_ERROR(
      MergeList(root, "contexts", "context", file, into.contexts));
  RK_RETURN_IF_ERROR(
      MergeList(root, "clusters", "cluster", file, into.clusters));
  return MergeList(root, "users", "user", file, into.users);
}

}  // namespace

absl::StatusOr<MergedKubeConfig> ReadKubeConfigFiles(
    const std::vector<std::string>& files, bool optional) {
  MergedKubeConfig merged;
  for (const std::string& file : files) {
    if (optional && !PathExists(file)) continue;
    RK_RETURN_IF_ERROR(MergeFile(file, merged));
  }
  return merged;
}

absl::StatusOr<std::string> TextField(const NamedEntry& entry,
                                      const std::string& key) {
  const YAML::Node value = entry.body[key];
  if (!value || value.IsNull()) return std::string();
  if (value.IsScalar()) return value.Scalar();
  return absl::InvalidArgumentError(absl::StrCat(
      "kubeconfig ", entry.file, ": '", key, "' is not a plain value"));
}

std::string PathBeside(const NamedEntry& entry, const std::string& path) {
  if (absl::StartsWith(path, "/")) return path;
  return std::filesystem::path(entry.file).parent_path() / path;
}

absl::StatusOr<std::string> DataOrFile(const NamedEntry& entry,
                                       const std::string& key) {
  const std::string data_key = absl::StrCat(key, "-data");
  RK_ASSIGN_OR_RETURN(const std::string data, TextField(entry, data_key));
  if (!data.empty()) {
    std::string bytes;
    if (absl::Base64Unescape(data, &bytes)) return bytes;
    return absl::InvalidArgumentError(absl::StrCat(
        "kubeconfig ", entry.file, ": '", data_key, "' is not base64"));
  }
  RK_ASSIGN_OR_RETURN(const std::string path, TextField(entry, key));
  if (path.empty()) return std::string();
  absl::StatusOr<std::string> content = ReadFile(PathBeside(entry, path));
  if (content.ok()) return content;
  return WithContext(content.status(),
                     absl::StrCat("kubeconfig ", entry.file, ": ", key));
}

}  // namespace rekindle::argo
