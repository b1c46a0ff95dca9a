#include "operator/workflow/decode.h"

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "operator/expression/value.h"

namespace rekindle::argo {
namespace {

// The fields of a map by name, as values of C++.
class Fields {
 public:
  explicit Fields(const YamlNode& node) : node_(node) {}

  const YamlNode* Find(const char* name) const {
    const YamlNode* value = node_.Find(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  std::string Text(const char* name) const {
    const YamlNode* value = Find(name);
    return value != nullptr && value->is_scalar() ? value->text : "";
  }
  bool Bool(const char* name) const { return Text(name) == "true"; }
  std::optional<int64_t> Int(const char* name) const {
    int64_t number = 0;
    if (!absl::SimpleAtoi(Text(name), &number)) return std::nullopt;
    return number;
  }
  std::optional<IntOrString> Number(const char* name) const {
    const YamlNode* value = Find(name);
    if (value == nullptr || !value->is_scalar()) return std::nullopt;
    return IntOrString{value->text, value->position};
  }
  std::vector<std::string> Texts(const char* name) const {
    std::vector<std::string> texts;
    for (const YamlNode& item : Items(name)) texts.push_back(item.text);
    return texts;
  }
  std::map<std::string, std::string> TextMap(const char* name) const {
    std::map<std::string, std::string> texts;
    if (const YamlNode* value = Find(name)) {
      for (const YamlField& field : value->fields) {
        texts[field.name] = field.value.text;
      }
    }
    return texts;
  }
  const std::vector<YamlNode>& Items(const char* name) const {
    static const std::vector<YamlNode> none;
    const YamlNode* value = Find(name);
    return value == nullptr ? none : value->items;
  }
  template <typename Decode>
  auto Each(const char* name, Decode decode) const {
    std::vector<decltype(decode(node_))> all;
    for (const YamlNode& item : Items(name)) all.push_back(decode(item));
    return all;
  }
  template <typename Decode>
  auto Optional(const char* name, Decode decode) const {
    std::optional<decltype(decode(node_))> result;
    if (const YamlNode* value = Find(name)) result = decode(*value);
    return result;
  }

 private:
  const YamlNode& node_;
};

ValueFrom DecodeValueFrom(const YamlNode& node) {
  const Fields fields(node);
  ValueFrom from;
  from.path = fields.Text("path");
  from.parameter = fields.Text("parameter");
  from.expression = fields.Text("expression");
  from.json_path = fields.Text("jsonPath");
  from.jq_filter = fields.Text("jqFilter");
  from.event = fields.Text("event");
  from.supplied = fields.Find("supplied") != nullptr;
  from.config_map_key_ref = fields.Find("configMapKeyRef") != nullptr;
  from.default_value = AnyString(fields.Find("default"));
  from.position = node.position;
  return from;
}

Parameter DecodeParameter(const YamlNode& node) {
  const Fields fields(node);
  Parameter parameter;
  parameter.name = fields.Text("name");
  parameter.value = AnyString(fields.Find("value"));
  parameter.default_value = AnyString(fields.Find("default"));
  parameter.value_from = fields.Optional("valueFrom", DecodeValueFrom);
  parameter.has_enum = fields.Find("enum") != nullptr;
  for (const YamlNode& value : fields.Items("enum")) {
    parameter.enum_values.push_back(AnyString(&value).value_or(""));
  }
  parameter.global_name = fields.Text("globalName");
  parameter.description = fields.Text("description");
  parameter.position = node.position;
  return parameter;
}

Artifact::Archive DecodeArchive(const Fields& fields) {
  const YamlNode* archive = fields.Find("archive");
  if (archive == nullptr) return Artifact::Archive::kTar;
  if (archive->Find("none") != nullptr) return Artifact::Archive::kNone;
  return archive->Find("zip") != nullptr ? Artifact::Archive::kZip
                                         : Artifact::Archive::kTar;
}

void DecodeLocation(const Fields& fields, Artifact* artifact) {
  static constexpr auto kLocations = std::to_array<const char*>(
      {"s3", "gcs", "azure", "oss", "hdfs", "artifactory", "http", "git",
       "plugin", "raw"});
  static constexpr auto kKeys = std::to_array<const char*>(
      {"key", "blob", "path", "url", "repo", "data"});
  for (const char* location : kLocations) {
    const YamlNode* found = fields.Find(location);
    if (found == nullptr) continue;
    artifact->location = location;
    for (const char* key : kKeys) {
      artifact->has_key |= !Fields(*found).Text(key).empty();
    }
  }
  if (const YamlNode* raw = fields.Find("raw")) {
    artifact->raw_data = Fields(*raw).Text("data");
  }
}

Artifact DecodeArtifact(const YamlNode& node) {
  const Fields fields(node);
  Artifact artifact;
  artifact.name = fields.Text("name");
  artifact.path = fields.Text("path");
  artifact.from = fields.Text("from");
  artifact.from_expression = fields.Text("fromExpression");
  artifact.sub_path = fields.Text("subPath");
  artifact.global_name = fields.Text("globalName");
  artifact.optional = fields.Bool("optional");
  artifact.mode = fields.Int("mode");
  artifact.archive = DecodeArchive(fields);
  DecodeLocation(fields, &artifact);
  artifact.position = node.position;
  return artifact;
}

Arguments DecodeArguments(const YamlNode& node) {
  const Fields fields(node);
  Arguments arguments;
  arguments.parameters = fields.Each("parameters", DecodeParameter);
  arguments.artifacts = fields.Each("artifacts", DecodeArtifact);
  return arguments;
}

Outputs DecodeOutputs(const YamlNode& node) {
  Outputs outputs;
  static_cast<Arguments&>(outputs) = DecodeArguments(node);
  outputs.result = AnyString(Fields(node).Find("result"));
  return outputs;
}

EnvVar DecodeEnvVar(const YamlNode& node) {
  const Fields fields(node);
  return {fields.Text("name"), fields.Text("value"),
          fields.Find("valueFrom") != nullptr, node.position};
}

VolumeMount DecodeVolumeMount(const YamlNode& node) {
  const Fields fields(node);
  return {fields.Text("name"), fields.Text("mountPath"), node.position};
}

Container DecodeContainer(const YamlNode& node) {
  const Fields fields(node);
  Container container;
  container.name = fields.Text("name");
  container.image = fields.Text("image");
  container.command = fields.Texts("command");
  container.args = fields.Texts("args");
  container.env = fields.Each("env", DecodeEnvVar);
  container.working_dir = fields.Text("workingDir");
  container.volume_mounts = fields.Each("volumeMounts", DecodeVolumeMount);
  container.position = node.position;
  return container;
}

Script DecodeScript(const YamlNode& node) {
  Script script;
  static_cast<Container&>(script) = DecodeContainer(node);
  script.source = Fields(node).Text("source");
  return script;
}

TemplateRef DecodeTemplateRef(const YamlNode& node) {
  const Fields fields(node);
  return {fields.Text("name"), fields.Text("template"),
          fields.Bool("clusterScope"), node.position};
}

Sequence DecodeSequence(const YamlNode& node) {
  const Fields fields(node);
  return {fields.Number("count"), fields.Number("start"), fields.Number("end"),
          fields.Text("format"), node.position};
}

ContinueOn DecodeContinueOn(const YamlNode& node) {
  const Fields fields(node);
  return {fields.Bool("error"), fields.Bool("failed")};
}

LifecycleHook DecodeHook(const std::string& name, const YamlNode& node) {
  const Fields fields(node);
  LifecycleHook hook;
  hook.name = name;
  hook.template_name = fields.Text("template");
  hook.template_ref = fields.Optional("templateRef", DecodeTemplateRef);
  hook.expression = fields.Text("expression");
  if (const YamlNode* arguments = fields.Find("arguments")) {
    hook.arguments = DecodeArguments(*arguments);
  }
  hook.position = node.position;
  return hook;
}

std::vector<LifecycleHook> DecodeHooks(const Fields& fields) {
  std::vector<LifecycleHook> hooks;
  if (const YamlNode* map = fields.Find("hooks")) {
    for (const YamlField& field : map->fields) {
      hooks.push_back(DecodeHook(field.name, field.value));
    }
  }
  return hooks;
}

// What a decoded value's `source` is a part of: no part is copied.
using Root = std::shared_ptr<const YamlNode>;

Step DecodeStepOf(const Root& root, const YamlNode& node);
Template DecodeTemplateOf(const Root& root, const YamlNode& node);

StepGroup DecodeStepGroup(const Root& root, const YamlNode& node) {
  StepGroup group;
  for (const YamlNode& step : node.items) {
    group.steps.push_back(DecodeStepOf(root, step));
  }
  group.position = node.position;
  return group;
}

Dag DecodeDag(const Root& root, const YamlNode& node) {
  const Fields fields(node);
  Dag dag;
  dag.tasks = fields.Each(
      "tasks", [&](const YamlNode& task) { return DecodeStepOf(root, task); });
  dag.target = fields.Text("target");
  dag.fail_fast = fields.Text("failFast") != "false";
  dag.position = node.position;
  return dag;
}

Suspend DecodeSuspend(const YamlNode& node) {
  return {Fields(node).Text("duration"), node.position};
}

Backoff DecodeBackoff(const YamlNode& node) {
  const Fields fields(node);
  return {fields.Text("duration"), fields.Text("maxDuration"),
          fields.Text("cap"), fields.Number("factor"), node.position};
}

RetryStrategy DecodeRetryStrategy(const YamlNode& node) {
  const Fields fields(node);
  RetryStrategy retry;
  retry.limit = fields.Number("limit");
  retry.retry_policy = fields.Text("retryPolicy");
  retry.expression = fields.Text("expression");
  retry.backoff = fields.Optional("backoff", DecodeBackoff);
  retry.position = node.position;
  return retry;
}

std::vector<TemplateKind> DecodeKinds(const Fields& fields) {
  static constexpr auto kKinds = std::to_array<TemplateKind>(
      {TemplateKind::kContainer, TemplateKind::kScript, TemplateKind::kSteps,
       TemplateKind::kDag, TemplateKind::kSuspend, TemplateKind::kContainerSet,
       TemplateKind::kResource, TemplateKind::kData, TemplateKind::kHttp,
       TemplateKind::kPlugin});
  std::vector<TemplateKind> kinds;
  for (const TemplateKind kind : kKinds) {
    if (fields.Find(KindName(kind)) != nullptr) kinds.push_back(kind);
  }
  return kinds;
}

bool HasDefaultImage(const Fields& fields, const char* kind) {
  const YamlNode* defaults = fields.Find("templateDefaults");
  const YamlNode* part = defaults == nullptr ? nullptr : defaults->Find(kind);
  return part != nullptr && !Fields(*part).Text("image").empty();
}

void DecodeWorkflowMetadata(const Fields& fields, WorkflowSpec* spec) {
  const YamlNode* metadata = fields.Find("workflowMetadata");
  if (metadata == nullptr) return;
  const Fields inner(*metadata);
  spec->metadata_labels = inner.TextMap("labels");
  spec->metadata_annotations = inner.TextMap("annotations");
  for (const auto& [name, value] : inner.TextMap("labelsFrom")) {
    spec->labels_from.push_back(name);
  }
}

WorkflowSpec DecodeSpec(const Root& root, const YamlNode& node) {
  const Fields fields(node);
  WorkflowSpec spec;
  spec.entrypoint = fields.Text("entrypoint");
  if (const YamlNode* arguments = fields.Find("arguments")) {
    spec.arguments = DecodeArguments(*arguments);
  }
  spec.templates = fields.Each("templates", [&](const YamlNode& one) {
    return DecodeTemplateOf(root, one);
  });
  spec.on_exit = fields.Text("onExit");
  spec.hooks = DecodeHooks(fields);
  spec.parallelism = fields.Int("parallelism");
  spec.active_deadline_seconds = fields.Int("activeDeadlineSeconds");
  spec.priority = fields.Int("priority");
  spec.retry_strategy = fields.Optional("retryStrategy", DecodeRetryStrategy);
  spec.default_container_image = HasDefaultImage(fields, "container");
  spec.default_script_image = HasDefaultImage(fields, "script");
  spec.workflow_template_ref =
      fields.Optional("workflowTemplateRef", DecodeTemplateRef);
  spec.suspend = fields.Bool("suspend");
  DecodeWorkflowMetadata(fields, &spec);
  spec.position = node.position;
  return spec;
}

Step DecodeStepOf(const Root& root, const YamlNode& node) {
  const Fields fields(node);
  Step step;
  step.name = fields.Text("name");
  step.template_name = fields.Text("template");
  step.template_ref = fields.Optional("templateRef", DecodeTemplateRef);
  if (const YamlNode* written = fields.Find("inline")) {
    step.inline_template =
        std::make_shared<const Template>(DecodeTemplateOf(root, *written));
  }
  if (const YamlNode* arguments = fields.Find("arguments")) {
    step.arguments = DecodeArguments(*arguments);
  }
  step.when = fields.Text("when");
  step.with_items = fields.Items("withItems");
  step.with_param = fields.Text("withParam");
  step.with_sequence = fields.Optional("withSequence", DecodeSequence);
  step.continue_on = fields.Optional("continueOn", DecodeContinueOn);
  step.hooks = DecodeHooks(fields);
  step.on_exit = fields.Text("onExit");
  step.depends = fields.Text("depends");
  step.dependencies = fields.Texts("dependencies");
  step.position = node.position;
  step.source = Root(root, &node);
  return step;
}

Template DecodeTemplateOf(const Root& root, const YamlNode& node) {
  const Fields fields(node);
  Template result;
  result.name = fields.Text("name");
  result.kinds = DecodeKinds(fields);
  if (const YamlNode* inputs = fields.Find("inputs")) {
    result.inputs = DecodeArguments(*inputs);
  }
  if (const YamlNode* outputs = fields.Find("outputs")) {
    result.outputs = DecodeOutputs(*outputs);
  }
  result.container = fields.Optional("container", DecodeContainer);
  result.script = fields.Optional("script", DecodeScript);
  result.steps = fields.Each("steps", [&](const YamlNode& group) {
    return DecodeStepGroup(root, group);
  });
  result.dag = fields.Optional(
      "dag", [&](const YamlNode& dag) { return DecodeDag(root, dag); });
  result.suspend = fields.Optional("suspend", DecodeSuspend);
  result.retry_strategy = fields.Optional("retryStrategy", DecodeRetryStrategy);
  result.active_deadline_seconds = fields.Number("activeDeadlineSeconds");
  result.timeout = fields.Text("timeout");
  result.parallelism = fields.Int("parallelism");
  if (fields.Find("failFast") != nullptr) {
    result.fail_fast = fields.Bool("failFast");
  }
  result.daemon = fields.Bool("daemon");
  if (const YamlNode* set = fields.Find("containerSet")) {
    result.container_set = Fields(*set).Each(
        "containers", [](const YamlNode& c) { return Fields(c).Text("name"); });
  }
  result.annotations = fields.TextMap("annotations");
  result.position = node.position;
  result.source = Root(root, &node);
  return result;
}

}  // namespace

std::optional<std::string> AnyString(const YamlNode* node) {
  if (node == nullptr || node->is_null()) return std::nullopt;
  if (node->kind != YamlNode::Kind::kNumber) return node->text;
  return PlainFloatText(std::strtod(node->text.c_str(), nullptr));
}

Step DecodeStepNode(YamlNode node) {
  const auto root = std::make_shared<const YamlNode>(std::move(node));
  return DecodeStepOf(root, *root);
}

Template DecodeTemplateNode(YamlNode node) {
  const auto root = std::make_shared<const YamlNode>(std::move(node));
  return DecodeTemplateOf(root, *root);
}

Workflow DecodeWorkflowNode(WorkflowKind kind, YamlNode node) {
  const auto root = std::make_shared<const YamlNode>(std::move(node));
  const Fields fields(*root);
  Workflow workflow;
  workflow.kind = kind;
  if (const YamlNode* metadata = fields.Find("metadata")) {
    const Fields meta(*metadata);
    workflow.name = meta.Text("name");
    workflow.generate_name = meta.Text("generateName");
    workflow.namespace_name = meta.Text("namespace");
    workflow.labels = meta.TextMap("labels");
    workflow.annotations = meta.TextMap("annotations");
  }
  if (const YamlNode* spec = fields.Find("spec")) {
    const YamlNode* inner = spec;
    if (kind == WorkflowKind::kCronWorkflow) {
      workflow.schedules = Fields(*spec).Texts("schedules");
      inner = Fields(*spec).Find("workflowSpec");
    }
    if (inner != nullptr) workflow.spec = DecodeSpec(root, *inner);
  }
  workflow.position = root->position;
  workflow.source = root;
  return workflow;
}

}  // namespace rekindle::argo
