#ifndef REKINDLE_OPERATOR_WORKFLOW_WORKFLOW_MODEL_H_
#define REKINDLE_OPERATOR_WORKFLOW_WORKFLOW_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/workflow/source_position.h"
#include "operator/workflow/yaml_node.h"

// What a workflow file says, as far as Rekindle gives it a meaning. Fields have
// Argo's names in snake_case and Argo's defaults. A string may hold tags
// (`{{...}}`) until it is rendered (operator/workflow/templating.h). Plain
// data.
namespace rekindle::argo {

// A number, or a string that becomes one when it is rendered.
struct IntOrString {
  std::string text;
  SourcePosition position;
};

// Where a parameter's value comes from when it is not written down.
struct ValueFrom {
  std::string path;        // a file the template's command writes
  std::string parameter;   // "{{steps.a.outputs.result}}"
  std::string expression;  // of the language of operator/expression
  std::string json_path, jq_filter, event;  // of resource templates, events
  bool supplied = false;                    // a suspended node waits for it
  bool config_map_key_ref = false;
  std::optional<std::string> default_value;  // when nothing is found there
  SourcePosition position;
};

struct Parameter {
  std::string name;
  std::optional<std::string> value;
  std::optional<std::string> default_value;
  std::optional<ValueFrom> value_from;
  std::vector<std::string> enum_values;
  bool has_enum = false;
  std::string global_name;
  std::string description;
  SourcePosition position;
};

struct Artifact {
  enum class Archive { kTar, kNone, kZip };

  std::string name;
  std::string path;
  std::string from;
  std::string from_expression;
  std::string sub_path;
  std::string global_name;
  bool optional = false;
  std::optional<int64_t> mode;
  Archive archive = Archive::kTar;
  std::optional<std::string> raw_data;  // raw.data
  // The key that says where it is stored: "s3", "gcs", "http", "raw", ...;
  // empty when the repository of the cluster decides.
  std::string location;
  // Whether `location` says where below a bucket or server it is.
  bool has_key = false;
  // Not written by anybody: where the local runner keeps it, below the folder
  // of the run's artifacts.
  std::string key;
  SourcePosition position;
};

struct Arguments {
  std::vector<Parameter> parameters;
  std::vector<Artifact> artifacts;

  const Parameter* FindParameter(const std::string& name) const;
  const Artifact* FindArtifact(const std::string& name) const;
};
using Inputs = Arguments;

struct Outputs : Arguments {
  std::optional<std::string> result;
};

struct EnvVar {
  std::string name;
  std::string value;
  bool has_value_from = false;  // from a Secret, ConfigMap, the pod's fields
  SourcePosition position;
};

struct VolumeMount {
  std::string name;
  std::string mount_path;
  SourcePosition position;
};

// `container`, and a script's container.
struct Container {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::vector<EnvVar> env;
  std::string working_dir;
  std::vector<VolumeMount> volume_mounts;
  SourcePosition position;
};

struct Script : Container {
  std::string source;
};

struct TemplateRef {
  std::string name;
  std::string template_name;
  bool cluster_scope = false;
  SourcePosition position;
};

struct Sequence {
  std::optional<IntOrString> count, start, end;
  std::string format;
  SourcePosition position;
};

struct ContinueOn {
  bool error = false;
  bool failed = false;
};

// A hook named "exit" runs when its node has ended, whatever its expression;
// the others when their expression becomes true.
struct LifecycleHook {
  std::string name;
  std::string template_name;
  std::optional<TemplateRef> template_ref;
  std::string expression;
  Arguments arguments;
  SourcePosition position;
};

struct Template;

// A step of `steps` and a task of `dag`: Argo's two names for one thing.
// `depends` and `dependencies` exist in a task only.
struct Step {
  std::string name;
  std::string template_name;                // one of these three
  std::optional<TemplateRef> template_ref;  //
  std::shared_ptr<const Template> inline_template;
  Arguments arguments;
  std::string when;
  std::vector<YamlNode> with_items;
  std::string with_param;
  std::optional<Sequence> with_sequence;
  std::optional<ContinueOn> continue_on;
  std::vector<LifecycleHook> hooks;
  std::string on_exit;
  std::string depends;
  std::vector<std::string> dependencies;
  SourcePosition position;
  // What was written; a render works on this.
  std::shared_ptr<const YamlNode> source;

  bool Expands() const {
    return !with_items.empty() || !with_param.empty() ||
           with_sequence.has_value();
  }
};

struct StepGroup {
  std::vector<Step> steps;  // these run in parallel
  SourcePosition position;
};

struct Dag {
  std::vector<Step> tasks;
  std::string target;  // names with blanks between them; empty: the leaves
  bool fail_fast = true;
  SourcePosition position;
};

struct Suspend {
  std::string duration;  // "20", "1m"; empty: until resumed
  SourcePosition position;
};

struct Backoff {
  std::string duration;      // "5", "1m"
  std::string max_duration;  // of all attempts
  std::string cap;           // of one wait
  std::optional<IntOrString> factor;
  SourcePosition position;
};

struct RetryStrategy {
  std::optional<IntOrString> limit;  // none: without end
  std::string retry_policy;  // Always, OnFailure, OnError, OnTransientError or
                             // "": Always with an expression, else OnFailure
  std::string expression;
  std::optional<Backoff> backoff;
  SourcePosition position;
};

enum class TemplateKind {
  kNone,
  kContainer,
  kScript,
  kSteps,
  kDag,
  kSuspend,
  kContainerSet,
  kResource,
  kData,
  kHttp,
  kPlugin,
};

// "container", "dag", ...
const char* KindName(TemplateKind kind);

struct Template {
  std::string name;
  std::vector<TemplateKind> kinds;  // as written; a valid template has one
  Inputs inputs;
  Outputs outputs;
  std::optional<Container> container;
  std::optional<Script> script;
  std::vector<StepGroup> steps;
  std::optional<Dag> dag;
  std::optional<Suspend> suspend;
  std::optional<RetryStrategy> retry_strategy;
  std::optional<IntOrString> active_deadline_seconds;
  std::string timeout;  // "30s"
  std::optional<int64_t> parallelism;
  std::optional<bool> fail_fast;
  bool daemon = false;
  std::vector<std::string> container_set;  // names of its containers
  std::map<std::string, std::string> annotations;
  SourcePosition position;
  std::shared_ptr<const YamlNode> source;

  TemplateKind kind() const {
    return kinds.size() == 1 ? kinds.front() : TemplateKind::kNone;
  }
  // A leaf is what a pod (or the agent) runs: neither steps nor dag.
  bool IsLeaf() const;
  // Its steps or tasks, as written; none of a leaf.
  std::vector<const Step*> AllSteps() const;
};

struct WorkflowSpec {
  std::string entrypoint;
  Arguments arguments;
  std::vector<Template> templates;
  std::string on_exit;
  std::vector<LifecycleHook> hooks;
  std::optional<int64_t> parallelism;
  std::optional<int64_t> active_deadline_seconds;
  std::optional<int64_t> priority;
  std::optional<RetryStrategy> retry_strategy;  // of templates without one
  bool default_container_image = false;         // templateDefaults has one
  bool default_script_image = false;
  std::optional<TemplateRef> workflow_template_ref;  // template_name is unused
  bool suspend = false;
  std::map<std::string, std::string> metadata_labels, metadata_annotations;
  std::vector<std::string> labels_from;  // names in workflowMetadata.labelsFrom
  SourcePosition position;

  const Template* FindTemplate(const std::string& name) const;
};

enum class WorkflowKind {
  kWorkflow,
  kWorkflowTemplate,
  kClusterWorkflowTemplate,
  kCronWorkflow,
};

// "Workflow", "WorkflowTemplate", ...
const char* KindName(WorkflowKind kind);

struct Workflow {
  WorkflowKind kind = WorkflowKind::kWorkflow;
  std::string name;           // metadata.name
  std::string generate_name;  // metadata.generateName
  std::string namespace_name;
  std::map<std::string, std::string> labels, annotations;
  WorkflowSpec spec;                   // of a CronWorkflow: its workflowSpec
  std::vector<std::string> schedules;  // of a CronWorkflow
  SourcePosition position;
  std::shared_ptr<const YamlNode> source;  // the whole document

  // "Workflow 'penguin'"
  std::string Describe() const;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_WORKFLOW_MODEL_H_
