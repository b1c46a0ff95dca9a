#include "operator/pods/pod_limits.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/yaml_node.h"

namespace rekindle::argo {

absl::Status CheckRunsHere(const Template& definition, const Scope& scope) {
  const YamlNode* patch = definition.source->Find("podSpecPatch");
  if (patch == nullptr || !absl::StrContains(patch->text, "subdomain")) {
    return absl::OkStatus();
  }
  // What is not YAML has no meaning here, as the rest of the patch.
  const auto text = Substitute(patch->text, scope, Unresolved::Keep());
  if (!text.ok()) return absl::OkStatus();
  const auto documents = ParseYaml(*text, "podSpecPatch");
  if (!documents.ok()) return absl::OkStatus();
  for (const YamlNode& document : *documents) {
    const YamlNode* subdomain = document.Find("subdomain");
    if (subdomain == nullptr || subdomain->text.empty() ||
        absl::StrContains(subdomain->text, "{{")) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "template '", definition.name,
        "' gives its pod a name in the subdomain '", subdomain->text,
        "', by which other pods find it: that needs a cluster; run it there "
        "with rekindle submit"));
  }
  return absl::OkStatus();
}

}  // namespace rekindle::argo
