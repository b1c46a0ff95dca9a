#include "operator/workflow/workflow_loader.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/bounded_read.h"
#include "base/status_macros.h"
#include "base/yaml_limits.h"
#include "operator/workflow/decode.h"
#include "operator/workflow/field_table.h"

namespace rekindle::argo {
namespace {

constexpr char kGroup[] = "argoproj.io/";

std::optional<WorkflowKind> KindOf(const YamlNode& node) {
  static constexpr auto kKinds = std::to_array<WorkflowKind>(
      {WorkflowKind::kWorkflow, WorkflowKind::kWorkflowTemplate,
       WorkflowKind::kClusterWorkflowTemplate, WorkflowKind::kCronWorkflow});
  const YamlNode* written = node.Find("kind");
  if (written == nullptr) return std::nullopt;
  for (const WorkflowKind kind : kKinds) {
    if (written->text == KindName(kind)) return kind;
  }
  return std::nullopt;
}

const char* TypeOf(WorkflowKind kind) {
  return kind == WorkflowKind::kCronWorkflow ? "CronWorkflow" : "Workflow";
}

// The name of the template that holds `field`: "spec.templates[2].dag" belongs
// to the third.
std::string TemplateOf(const std::string& field, const WorkflowSpec& spec) {
  static const std::string kStart = "templates[";
  const size_t at = field.find(kStart);
  if (at == std::string::npos) return "";
  const size_t from = at + kStart.size();
  size_t index = 0;
  if (!absl::SimpleAtoi(field.substr(from, field.find(']', from) - from),
                        &index) ||
      index >= spec.templates.size()) {
    return "";
  }
  return spec.templates[index].name;
}

void NameTemplates(const WorkflowSpec& spec, Findings* findings) {
  for (Finding& finding : *findings) {
    finding.template_name = TemplateOf(finding.field, spec);
  }
}

void CheckApiVersion(const YamlNode& node, Findings* findings) {
  const YamlNode* version = node.Find("apiVersion");
  if (version != nullptr && absl::StartsWith(version->text, kGroup)) return;
  const SourcePosition& position =
      version == nullptr ? node.position : version->position;
  findings->push_back(
      {Finding::Severity::kError, position, "", "apiVersion",
       absl::StrCat("'apiVersion' must be argoproj.io/v1alpha1, not ",
                    version == nullptr ? "nothing" : version->Describe())});
}

void LoadDocument(YamlNode node, LoadedWorkflows* loaded) {
  const std::optional<WorkflowKind> kind = KindOf(node);
  if (!kind.has_value()) return;
  Findings findings;
  CheckApiVersion(node, &findings);
  CheckType(node, TypeOf(*kind), "", &findings);
  Workflow workflow = DecodeWorkflowNode(*kind, std::move(node));
  NameTemplates(workflow.spec, &findings);
  for (Finding& finding : findings) {
    loaded->findings.push_back(std::move(finding));
  }
  loaded->workflows.push_back(std::move(workflow));
}

absl::Status FirstError(const YamlNode& node, const std::string& type) {
  Findings findings;
  CheckType(node, type, "", &findings);
  for (const Finding& finding : findings) {
    if (finding.severity == Finding::Severity::kError) {
      return absl::InvalidArgumentError(finding.ToString());
    }
  }
  return absl::OkStatus();
}

// "a.yaml:3:7: message" to a position and the message.
Finding SyntaxFinding(const absl::Status& status, const std::string& file) {
  Finding finding;
  finding.position.file = std::make_shared<const std::string>(file);
  absl::string_view rest = status.message();
  rest.remove_prefix(file.size() + 1);
  const std::vector<std::string> parts =
      absl::StrSplit(rest, absl::MaxSplits(": ", 1));
  const std::vector<std::string> place = absl::StrSplit(parts[0], ':');
  if (parts.size() == 2 && place.size() == 2 &&
      absl::SimpleAtoi(place[0], &finding.position.line) &&
      absl::SimpleAtoi(place[1], &finding.position.column)) {
    finding.message = parts[1];
  } else {
    finding.message = std::string(rest);
  }
  return finding;
}

}  // namespace

LoadedWorkflows LoadWorkflows(const std::string& text,
                              const std::string& file) {
  LoadedWorkflows loaded;
  absl::StatusOr<std::vector<YamlNode>> documents = ParseYaml(text, file);
  if (!documents.ok()) {
    loaded.findings.push_back(SyntaxFinding(documents.status(), file));
    return loaded;
  }
  for (YamlNode& document : *documents) {
    LoadDocument(std::move(document), &loaded);
  }
  return loaded;
}

absl::StatusOr<LoadedWorkflows> LoadWorkflowFile(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const std::string text,
                      ReadRegularFile(path, kMostYamlBytes));
  return LoadWorkflows(text, path);
}

Findings CheckRunnable(const Workflow& workflow) {
  Findings findings;
  if (workflow.source != nullptr) {
    CheckSupport(*workflow.source, TypeOf(workflow.kind), "", &findings);
    NameTemplates(workflow.spec, &findings);
  }
  return findings;
}

absl::StatusOr<Template> DecodeTemplate(YamlNode node) {
  RK_RETURN_IF_ERROR(FirstError(node, "Template"));
  return DecodeTemplateNode(std::move(node));
}

absl::StatusOr<Step> DecodeStep(YamlNode node) {
  RK_RETURN_IF_ERROR(FirstError(node, "Task"));
  return DecodeStepNode(std::move(node));
}

}  // namespace rekindle::argo
