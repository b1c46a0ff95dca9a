// Any text as a workflow file: it is read, checked and rendered, or refused
// with findings that have a place. What was read and written out as JSON reads
// the same again.
#include <cstdint>
#include <string>

#include "operator/expression/condition.h"
#include "operator/expression/expression.h"
#include "operator/lint/validate.h"
#include "operator/workflow/depends.h"
#include "operator/workflow/expansion.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/workflow_loader.h"
#include "operator/workflow/yaml_node.h"
#include "tests/fuzz/require.h"

namespace rekindle::argo {
namespace {

void CheckPlaces(const Findings& findings) {
  for (const Finding& finding : findings) {
    Require(!finding.message.empty(), "a finding says nothing");
    Require(finding.position.file != nullptr, finding.message);
  }
}

// Expressions and conditions are evaluated wherever they are.
void Evaluate(const std::string& text) {
  const absl::StatusOr<Expression> expression = Expression::Parse(text);
  if (expression.ok()) {
    (void)expression->Evaluate({{"lastRetry", Value(Value::Map())}});
    (void)expression->RequiredNames();
  }
  (void)EvaluateWhen(text);
}

void Visit(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kString) Evaluate(node.text);
  for (const std::string& tag : FindTags(node.text)) {
    Evaluate(tag.substr(tag.empty() || tag[0] != '=' ? 0 : 1));
  }
  for (const YamlNode& item : node.items) Visit(item);
  for (const YamlField& field : node.fields) Visit(field.value);
}

const Scope& Names() {
  static const auto* const kScope =
      new Scope{{"inputs.parameters.a", Value("1")},
                {"item", Value("\"x\"\n")},
                {"item.k", Value("v")},
                {"steps.s.id", Value()}};
  return *kScope;
}

void Render(const Template& one) {
  (void)Render(one, Names(), Unresolved::Keep());
  (void)Render(one, Names(), Unresolved::Refuse());
  for (const StepGroup& group : one.steps) {
    for (const Step& step : group.steps) (void)ExpandStep(step);
  }
  if (!one.dag.has_value()) return;
  for (const Step& task : one.dag->tasks) {
    (void)Depends::Parse(task, *one.dag);
    (void)ExpandStep(task);
  }
}

void CheckRoundTrip(const YamlNode& document) {
  const nlohmann::json json = ToJson(document);
  Require(ToJson(FromJson(json, document.position)) == json,
          "JSON of a document reads as another document");
}

}  // namespace
}  // namespace rekindle::argo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rekindle::argo;
  static const auto* const kLibrary = new TemplateLibrary;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto documents = ParseYaml(text, "w.yaml");
  if (documents.ok()) {
    for (const YamlNode& document : *documents) {
      Visit(document);
      CheckRoundTrip(document);
    }
  }
  const LoadedWorkflows loaded = LoadWorkflows(text, "w.yaml");
  CheckPlaces(loaded.findings);
  for (const Workflow& workflow : loaded.workflows) {
    CheckPlaces(Validate(workflow, *kLibrary));
    CheckPlaces(CheckRunnable(workflow));
    for (const Template& one : workflow.spec.templates) Render(one);
  }
  return 0;
}
