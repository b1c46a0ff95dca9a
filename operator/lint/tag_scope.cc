#include "operator/lint/tag_scope.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rekindle::argo {
namespace {

constexpr auto kRoots = std::to_array<absl::string_view>(
    {"item.", "steps.", "inputs.", "outputs.", "pod.", "workflow.", "tasks."});

// Names that exist in every run; Argo takes what begins like them too.
constexpr auto kAlways = std::to_array<absl::string_view>(
    {"outputs.", "workflow.creationTimestamp", "workflow.scheduledTime",
     "workflow.duration", "workflow.failures", "tasks.name", "steps.name",
     "node.name"});

bool MakesOutput(const Template& run) {
  switch (run.kind()) {
    case TemplateKind::kContainer:
    case TemplateKind::kScript:
    case TemplateKind::kData:
    case TemplateKind::kHttp:
    case TemplateKind::kPlugin:
      return true;
    case TemplateKind::kContainerSet:
      for (const std::string& name : run.container_set) {
        if (name == "main") return true;
      }
      return false;
    default:
      return false;
  }
}

}  // namespace

void TagScope::AddGlobals(const Workflow& workflow, bool is_template) {
  const WorkflowSpec& spec = workflow.spec;
  for (const char* name :
       {"workflow.name", "workflow.namespace", "workflow.mainEntrypoint",
        "workflow.serviceAccountName", "workflow.uid", "workflow.status",
        "workflow.annotations", "workflow.annotations.json", "workflow.labels",
        "workflow.labels.json"}) {
    Add(name);
  }
  if (spec.priority.has_value()) Add("workflow.priority");
  if (!spec.arguments.parameters.empty()) {
    Add("workflow.parameters");
    Add("workflow.parameters.json");
  }
  for (const Parameter& parameter : spec.arguments.parameters) {
    Add(absl::StrCat("workflow.parameters.", parameter.name));
  }
  for (const auto* labels : {&workflow.labels, &spec.metadata_labels}) {
    for (const auto& [name, value] : *labels) {
      Add(absl::StrCat("workflow.labels.", name));
    }
  }
  for (const std::string& name : spec.labels_from) {
    Add(absl::StrCat("workflow.labels.", name));
  }
  for (const auto* notes :
       {&workflow.annotations, &spec.metadata_annotations}) {
    for (const auto& [name, value] : *notes) {
      Add(absl::StrCat("workflow.annotations.", name));
    }
  }
  if (is_template) AddPrefix("workflow.parameters");
}

void TagScope::AddTemplate(const Template& owner) {
  for (const Parameter& parameter : owner.inputs.parameters) {
    Add(absl::StrCat("inputs.parameters.", parameter.name));
    Add("inputs.parameters");
  }
  for (const Artifact& artifact : owner.inputs.artifacts) {
    Add(absl::StrCat("inputs.artifacts.", artifact.name));
    if (owner.IsLeaf()) {
      Add(absl::StrCat("inputs.artifacts.", artifact.name, ".path"));
    }
  }
  const TemplateKind kind = owner.kind();
  if (kind == TemplateKind::kContainer || kind == TemplateKind::kScript ||
      kind == TemplateKind::kContainerSet || kind == TemplateKind::kResource ||
      kind == TemplateKind::kData) {
    Add("pod.name");
  }
}

void TagScope::AddNode(const std::string& node, const Step& step,
                       const Template* run) {
  const std::string start = absl::StrCat(node, ".", step.name, ".");
  if (run == nullptr) {
    AddPrefix(start);
    return;
  }
  for (const char* name : {"id", "startedAt", "finishedAt", "hostNodeName"}) {
    Add(absl::StrCat(start, name));
  }
  if (run->daemon) Add(absl::StrCat(start, "ip"));
  const bool aggregate = !step.with_items.empty() || !step.with_param.empty();
  if (MakesOutput(*run) ||
      (aggregate && run->kind() == TemplateKind::kContainerSet)) {
    Add(absl::StrCat(start, "outputs.result"));
    Add(absl::StrCat(start, "exitCode"));
  }
  if (aggregate) Add(absl::StrCat(start, "outputs.parameters"));
  for (const Parameter& parameter : run->outputs.parameters) {
    Add(absl::StrCat(start, "outputs.parameters.", parameter.name));
  }
  for (const Artifact& artifact : run->outputs.artifacts) {
    Add(absl::StrCat(start, "outputs.artifacts.", artifact.name));
  }
}

void TagScope::AddItems(const Step& step) {
  if (!step.with_param.empty()) AddPrefix("item");
  for (const YamlNode& item : step.with_items) {
    for (const YamlField& field : item.fields) {
      Add(absl::StrCat("item.", field.name));
    }
    for (size_t i = 0; i < item.items.size(); ++i) {
      Add(absl::StrCat("item.[", i, "]"));
    }
  }
}

bool TagScope::Resolves(absl::string_view tag) const {
  tag = absl::StripAsciiWhitespace(tag);
  bool ours = false;
  for (const absl::string_view root : kRoots) {
    ours |= absl::StartsWith(tag, root);
  }
  // A tag that is made of others is known only when they have values.
  if (!ours || absl::StrContains(tag, "{{")) return true;
  for (const absl::string_view always : kAlways) {
    if (absl::StartsWith(tag, always)) return true;
  }
  for (const std::string& prefix : prefixes_) {
    if (absl::StartsWith(tag, prefix)) return true;
  }
  return names_.contains(std::string(tag));
}

}  // namespace rekindle::argo
