#include "operator/pods/volumes.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/workflow/object_name.h"
#include "operator/workflow/yaml_node.h"

namespace rekindle::argo {
namespace {

const YamlNode* At(const YamlNode* node,
                   std::initializer_list<const char*> names) {
  for (const char* name : names) {
    node = node == nullptr ? nullptr : node->Find(name);
  }
  return node;
}

std::string TextAt(const YamlNode& node, const char* name) {
  const YamlNode* found = node.Find(name);
  return found == nullptr ? "" : found->text;
}

const YamlNode* SpecOf(const Workflow& workflow) {
  const YamlNode* spec = At(workflow.source.get(), {"spec"});
  const YamlNode* inner = At(spec, {"workflowSpec"});
  return inner == nullptr ? spec : inner;
}

absl::StatusOr<PodMount> VolumeOf(const YamlNode& node) {
  PodMount volume;
  volume.name = TextAt(node, "name");
  if (node.Find("emptyDir") != nullptr) return volume;
  if (const YamlNode* host = node.Find("hostPath"); host != nullptr) {
    volume.kind = PodMount::Kind::kHostPath;
    volume.host_path = TextAt(*host, "path");
    return volume;
  }
  if (const YamlNode* claim = node.Find("persistentVolumeClaim");
      claim != nullptr) {
    volume.kind = PodMount::Kind::kClaim;
    volume.name = TextAt(*claim, "claimName");
    return volume;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      node.position.ToString(), ": volume '", volume.name,
      "' is of a kind that only a cluster has; here are emptyDir, hostPath, "
      "persistentVolumeClaim and volumeClaimTemplates"));
}

absl::Status CheckNames(const PodMount& volume, const YamlNode& node) {
  const bool claim = volume.kind == PodMount::Kind::kClaim ||
                     volume.kind == PodMount::Kind::kClaimTemplate;
  const std::string problem =
      claim ? ObjectNameProblem(volume.name) : LabelNameProblem(volume.name);
  if (problem.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(node.position.ToString(), ": the name '", volume.name,
                   claim ? "' of a claim " : "' of a volume ", problem));
}

using Volumes = std::map<std::string, absl::StatusOr<PodMount>>;

void AddVolumes(const YamlNode* list, Volumes& volumes) {
  if (list == nullptr) return;
  for (const YamlNode& node : list->items) {
    volumes.insert_or_assign(TextAt(node, "name"), VolumeOf(node));
  }
}

absl::StatusOr<Volumes> AllVolumes(const Template& rendered,
                                   const Workflow& workflow,
                                   const Scope& scope) {
  Volumes volumes;
  if (const YamlNode* list = At(SpecOf(workflow), {"volumes"});
      list != nullptr) {
    RK_ASSIGN_OR_RETURN(const YamlNode replaced,
                        Substitute(*list, scope, Unresolved::Keep()));
    AddVolumes(&replaced, volumes);
  }
  if (const YamlNode* claims = At(SpecOf(workflow), {"volumeClaimTemplates"});
      claims != nullptr) {
    for (const YamlNode& claim : claims->items) {
      PodMount volume;
      volume.kind = PodMount::Kind::kClaimTemplate;
      const YamlNode* metadata = claim.Find("metadata");
      if (metadata != nullptr) volume.name = TextAt(*metadata, "name");
      volumes.insert_or_assign(volume.name, volume);
    }
  }
  AddVolumes(At(rendered.source.get(), {"volumes"}), volumes);
  return volumes;
}

}  // namespace

absl::StatusOr<std::vector<PodMount>> MountsOf(const Template& rendered,
                                               const Workflow& workflow,
                                               const Scope& scope) {
  std::vector<PodMount> mounts;
  const char* kind = rendered.script.has_value() ? "script" : "container";
  const YamlNode* list = At(rendered.source.get(), {kind, "volumeMounts"});
  if (list == nullptr) return mounts;
  RK_ASSIGN_OR_RETURN(const Volumes volumes,
                      AllVolumes(rendered, workflow, scope));
  for (const YamlNode& node : list->items) {
    const std::string name = TextAt(node, "name");
    const auto found = volumes.find(name);
    if (found == volumes.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(node.position.ToString(), ": volumeMount '", name,
                       "' has no volume of that name"));
    }
    RK_ASSIGN_OR_RETURN(PodMount mount, found->second);
    RK_RETURN_IF_ERROR(CheckNames(mount, node));
    mount.path = TextAt(node, "mountPath");
    mount.sub_path = TextAt(node, "subPath");
    if (const std::string problem = SubPathProblem(mount.sub_path);
        !problem.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(node.position.ToString(), ": the subPath '",
                       mount.sub_path, "' ", problem));
    }
    mount.read_only = TextAt(node, "readOnly") == "true";
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

}  // namespace rekindle::argo
