#include "operator/lint/template_check.h"

#include <algorithm>
#include <array>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "operator/lint/name_rules.h"
#include "operator/lint/volume_check.h"

namespace rekindle::argo {
namespace {

class TemplateCheck {
 public:
  TemplateCheck(const Template& checked, const CheckContext& context)
      : checked_(checked), context_(context) {}

  void Run(const TagScope& outer) {
    if (!HasOneKind()) return;
    TagScope scope = outer;
    scope.AddTemplate(checked_);
    CheckInputs();
    CheckRetry();
    CheckTimes();
    switch (checked_.kind()) {
      case TemplateKind::kSteps:
        CheckSteps(checked_, &scope, context_);
        break;
      case TemplateKind::kDag:
        CheckDag(checked_, &scope, context_);
        break;
      default:
        CheckLeaf(scope);
        break;
    }
    CheckOutputs(scope);
  }

 private:
  void Error(const SourcePosition& position, std::string field,
             std::string message) const {
    context_.Error(&checked_, position, std::move(field), std::move(message));
  }

  bool HasOneKind() const {
    if (checked_.kinds.size() == 1) return true;
    std::vector<std::string> kinds;
    for (const TemplateKind kind : checked_.kinds) {
      kinds.emplace_back(KindName(kind));
    }
    Error(checked_.position, "",
          kinds.empty()
              ? "it has nothing to run; it needs one of container, script, "
                "steps, dag, suspend, ..."
              : absl::StrCat("it may have only one of ",
                             absl::StrJoin(kinds, " and ")));
    return false;
  }

  template <typename T>
  void CheckFieldNames(const std::vector<T>& all, const char* field) const {
    std::map<std::string, int> seen;
    for (const T& one : all) {
      const std::string problem = FieldNameProblem(one.name);
      if (one.name.empty()) {
        Error(one.position, field,
              absl::StrCat("an entry of '", field, "' has no name"));
      } else if (!problem.empty() && !HasTag(one.name)) {
        Error(one.position, field,
              absl::StrCat("the name '", one.name, "' ", problem));
      } else if (++seen[one.name] == 2) {
        Error(one.position, field,
              absl::StrCat("'", one.name, "' is twice in '", field, "'"));
      }
    }
  }

  void CheckPath(const Artifact& artifact, const char* field) const {
    if (!checked_.IsLeaf()) {
      if (!artifact.path.empty()) {
        Error(artifact.position, field,
              absl::StrCat("artifact '", artifact.name,
                           "' has a path, which only templates that run a "
                           "command have"));
      }
      return;
    }
    if (artifact.path.empty()) {
      Error(artifact.position, field,
            absl::StrCat("artifact '", artifact.name, "' has no path"));
    } else if (absl::StrContains(artifact.path, "/../") ||
               absl::EndsWith(artifact.path, "/..")) {
      Error(artifact.position, field,
            absl::StrCat("the path of artifact '", artifact.name,
                         "' leaves its folder with '..'"));
    }
  }

  void CheckInputs() const {
    CheckFieldNames(checked_.inputs.parameters, "inputs.parameters");
    CheckFieldNames(checked_.inputs.artifacts, "inputs.artifacts");
    for (const Artifact& artifact : checked_.inputs.artifacts) {
      CheckPath(artifact, "inputs.artifacts");
      if (!artifact.from.empty()) {
        Error(artifact.position, "inputs.artifacts",
              absl::StrCat("artifact '", artifact.name,
                           "' may not have 'from' among the inputs; the step "
                           "that runs the template gives it"));
      }
    }
  }

  void CheckRetry() const {
    if (!checked_.retry_strategy.has_value()) return;
    const RetryStrategy& retry = *checked_.retry_strategy;
    static constexpr auto kPolicies = std::to_array<absl::string_view>(
        {"", "Always", "OnFailure", "OnError", "OnTransientError"});
    if (!HasTag(retry.retry_policy) &&
        std::find(kPolicies.begin(), kPolicies.end(), retry.retry_policy) ==
            kPolicies.end()) {
      Error(retry.position, "retryStrategy.retryPolicy",
            absl::StrCat("the retryPolicy '", retry.retry_policy,
                         "' must be Always, OnFailure, OnError or "
                         "OnTransientError"));
    }
    CheckExpression(&checked_, retry.expression, retry.position,
                    "retryStrategy.expression", context_);
  }

  void CheckTimes() const {
    int64_t number = 0;
    if (!checked_.timeout.empty() && !checked_.IsLeaf()) {
      Error(checked_.position, "timeout",
            absl::StrCat(KindName(checked_.kind()),
                         " templates have no timeout"));
    } else if (absl::SimpleAtoi(checked_.timeout, &number)) {
      Error(checked_.position, "timeout",
            absl::StrCat("the timeout '", checked_.timeout,
                         "' needs a unit, as 30s"));
    }
    if (!checked_.active_deadline_seconds.has_value()) return;
    const IntOrString& deadline = *checked_.active_deadline_seconds;
    if (!checked_.IsLeaf()) {
      Error(deadline.position, "activeDeadlineSeconds",
            absl::StrCat(KindName(checked_.kind()),
                         " templates have no activeDeadlineSeconds"));
    } else if (!HasTag(deadline.text) &&
               (!absl::SimpleAtoi(deadline.text, &number) || number < 0)) {
      Error(deadline.position, "activeDeadlineSeconds",
            absl::StrCat("activeDeadlineSeconds must be a number of seconds, "
                         "not '",
                         deadline.text, "'"));
    }
  }

  void CheckLeaf(const TagScope& scope) const {
    CheckTags(&checked_, *checked_.source, scope, "outputs", context_);
    if (checked_.container.has_value()) {
      CheckContainer(*checked_.container, "container",
                     context_.workflow.spec.default_container_image);
      CheckMounts(*checked_.container);
    }
    if (checked_.script.has_value()) CheckScript();
    CheckVolumes();
    if (checked_.kind() == TemplateKind::kResource) CheckResource();
    if (checked_.kind() == TemplateKind::kContainerSet) CheckContainerSet();
    if (checked_.parallelism.has_value()) {
      Error(checked_.position, "parallelism",
            "only steps and dag templates have parallelism");
    }
  }

  void CheckContainer(const Container& container, const char* field,
                      bool default_image) const {
    if (container.image.empty() && !default_image) {
      Error(container.position, absl::StrCat(field, ".image"),
            absl::StrCat("its ", field, " needs an image"));
    }
    if (container.command.empty() && !container.args.empty()) {
      context_.Warning(&checked_, container.position,
                       absl::StrCat(field, ".command"),
                       "it has args but no command: Argo must ask the "
                       "registry for the image's, and 'rekindle run' cannot");
    }
  }

  void CheckScript() const {
    const Script& script = *checked_.script;
    CheckContainer(script, "script",
                   context_.workflow.spec.default_script_image);
    if (script.command.empty()) {
      context_.Warning(&checked_, script.position, "script.command",
                       "it has no command to run its source with");
    }
  }

  void CheckVolumes() const {
    CheckVolumeNames(&checked_, checked_.source->Find("volumes"), context_);
    for (const char* kind : {"container", "script"}) {
      const YamlNode* container = checked_.source->Find(kind);
      if (container == nullptr) continue;
      CheckSubPaths(&checked_, container->Find("volumeMounts"), context_);
    }
  }

  void CheckMounts(const Container& container) const {
    std::map<std::string, std::string> taken;
    for (const VolumeMount& mount : container.volume_mounts) {
      CheckMount(mount.mount_path, absl::StrCat("volume '", mount.name, "'"),
                 mount.position, &taken);
    }
    for (const Artifact& artifact : checked_.inputs.artifacts) {
      CheckMount(artifact.path, absl::StrCat("artifact '", artifact.name, "'"),
                 artifact.position, &taken);
    }
  }

  void CheckMount(const std::string& path, const std::string& what,
                  const SourcePosition& position,
                  std::map<std::string, std::string>* taken) const {
    const auto [entry, added] = taken->try_emplace(path, what);
    if (added || path.empty()) return;
    Error(position, "container.volumeMounts",
          absl::StrCat(what, " is put at '", path, "', where ", entry->second,
                       " is already"));
  }

  void CheckResource() const {
    const YamlNode& resource = *checked_.source->Find("resource");
    const YamlNode* action = resource.Find("action");
    static constexpr auto kActions = std::to_array<absl::string_view>(
        {"get", "create", "apply", "delete", "replace", "patch"});
    const std::string text = action == nullptr ? "" : action->text;
    if (HasTag(text)) return;
    if (std::find(kActions.begin(), kActions.end(), text) == kActions.end()) {
      Error(resource.position, "resource.action",
            absl::StrCat("the resource's action must be one of ",
                         absl::StrJoin(kActions, ", "), ", not '", text, "'"));
    } else if (text != "get" && text != "delete" &&
               resource.Find("manifest") == nullptr &&
               resource.Find("manifestFrom") == nullptr) {
      Error(resource.position, "resource.manifest",
            "the resource needs a manifest or a manifestFrom");
    }
  }

  void CheckContainerSet() const {
    const bool hands_on = !checked_.inputs.artifacts.empty() ||
                          !checked_.outputs.parameters.empty() ||
                          !checked_.outputs.artifacts.empty();
    const std::vector<std::string>& names = checked_.container_set;
    if (hands_on &&
        std::find(names.begin(), names.end(), "main") == names.end()) {
      Error(checked_.position, "containerSet.containers",
            "a containerSet with inputs or outputs needs a container 'main'");
    }
  }

  void CheckOutputs(const TagScope& scope) const {
    if (const YamlNode* outputs = checked_.source->Find("outputs")) {
      CheckTags(&checked_, *outputs, scope, "", context_);
    }
    CheckFieldNames(checked_.outputs.parameters, "outputs.parameters");
    CheckFieldNames(checked_.outputs.artifacts, "outputs.artifacts");
    for (const Artifact& artifact : checked_.outputs.artifacts) {
      CheckPath(artifact, "outputs.artifacts");
      CheckGlobalName(artifact.global_name, artifact.position);
      CheckExpression(&checked_, artifact.from_expression, artifact.position,
                      "outputs.artifacts", context_);
    }
    for (const Parameter& parameter : checked_.outputs.parameters) {
      CheckOutputParameter(parameter);
      CheckGlobalName(parameter.global_name, parameter.position);
    }
  }

  void CheckGlobalName(const std::string& name,
                       const SourcePosition& position) const {
    if (name.empty() || HasTag(name)) return;
    if (const std::string problem = FieldNameProblem(name); !problem.empty()) {
      Error(position, "globalName",
            absl::StrCat("the globalName '", name, "' ", problem));
    }
  }

  void CheckOutputParameter(const Parameter& parameter) const {
    const auto error = [&](absl::string_view message) {
      Error(parameter.position, "outputs.parameters",
            absl::StrCat("the output parameter '", parameter.name, "' ",
                         message));
    };
    if (!parameter.value_from.has_value()) {
      if (!parameter.value.has_value()) error("needs a valueFrom or a value");
      return;
    }
    if (parameter.value.has_value()) {
      error("has both a value and a valueFrom");
      return;
    }
    const ValueFrom& from = *parameter.value_from;
    const int sources =
        (from.path.empty() ? 0 : 1) + (from.jq_filter.empty() ? 0 : 1) +
        (from.json_path.empty() ? 0 : 1) + (from.parameter.empty() ? 0 : 1) +
        (from.expression.empty() ? 0 : 1) + (from.supplied ? 1 : 0);
    if (sources != 1) {
      error(sources == 0 ? "has an empty valueFrom; it needs a path, a "
                           "parameter or an expression"
                         : "has a valueFrom with more than one source");
      return;
    }
    CheckSource(from, error);
    CheckExpression(&checked_, from.expression, from.position,
                    "outputs.parameters", context_);
  }

  template <typename ErrorFunction>
  void CheckSource(const ValueFrom& from, const ErrorFunction& error) const {
    switch (checked_.kind()) {
      case TemplateKind::kContainer:
      case TemplateKind::kScript:
      case TemplateKind::kContainerSet:
        if (from.path.empty()) error("needs a valueFrom.path");
        break;
      case TemplateKind::kResource:
        if (from.jq_filter.empty() && from.json_path.empty()) {
          error("needs a valueFrom.jsonPath or jqFilter");
        }
        break;
      case TemplateKind::kSteps:
      case TemplateKind::kDag:
        if (from.parameter.empty() && from.expression.empty()) {
          error("needs a valueFrom.parameter or expression");
        }
        break;
      default:
        break;
    }
  }

  const Template& checked_;
  const CheckContext& context_;
};

}  // namespace

void CheckTemplate(const Template& checked, const TagScope& outer,
                   const CheckContext& context) {
  TemplateCheck(checked, context).Run(outer);
}

}  // namespace rekindle::argo
