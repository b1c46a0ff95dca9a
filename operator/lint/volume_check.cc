#include "operator/lint/volume_check.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "operator/lint/name_rules.h"
#include "operator/workflow/object_name.h"

namespace rekindle::argo {
namespace {

using Rule = std::string (*)(const std::string&);

void Check(const Template* of, const YamlNode* value, const char* field,
           Rule rule, const CheckContext& context) {
  if (value == nullptr || value->kind != YamlNode::Kind::kString ||
      HasTag(value->text)) {
    return;
  }
  const std::string problem = rule(value->text);
  if (problem.empty()) return;
  context.Error(of, value->position, field,
                absl::StrCat("the ", field, " '", value->text, "' ", problem));
}

}  // namespace

void CheckVolumeNames(const Template* of, const YamlNode* volumes,
                      const CheckContext& context) {
  if (volumes == nullptr) return;
  for (const YamlNode& volume : volumes->items) {
    Check(of, volume.Find("name"), "name", LabelNameProblem, context);
    const YamlNode* claim = volume.Find("persistentVolumeClaim");
    if (claim == nullptr) continue;
    Check(of, claim->Find("claimName"), "claimName", ObjectNameProblem,
          context);
  }
}

void CheckClaimName(const Template* of, const YamlNode* name,
                    const CheckContext& context) {
  Check(of, name, "name", ObjectNameProblem, context);
}

void CheckSubPaths(const Template* of, const YamlNode* mounts,
                   const CheckContext& context) {
  if (mounts == nullptr) return;
  for (const YamlNode& mount : mounts->items) {
    Check(of, mount.Find("subPath"), "subPath", SubPathProblem, context);
  }
}

}  // namespace rekindle::argo
