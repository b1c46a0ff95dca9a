#include "component/launch/driver.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "base/digest.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "base/uuid.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "component/launch/attempts.h"
#include "component/launch/failure.h"
#include "component/launch/output_paths.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/candidate.h"
#include "component/resolve/digest_check.h"
#include "component/resolve/input_choice.h"
#include "component/resolve/resolver.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

constexpr int kNoParent = -1;

// How many candidates an error names; `metadata why` lists the others.
constexpr size_t kMaxTold = 3;

rekindle::v1::ContextOfStep MakeContext(const std::string& type,
                                        const std::string& name, int parent) {
  rekindle::v1::ContextOfStep context;
  context.mutable_type()->set_name(type);
  context.set_name(name);
  context.set_parent_index(parent);
  return context;
}

// Whether it is about the files rather than about what they are.
bool IsBookkeeping(const std::string& property) {
  return property == kDigestProperty || property == kStatFingerprintProperty;
}

std::string PropertiesText(const ml_metadata::Artifact& artifact) {
  std::map<std::string, std::string> sorted;
  for (const auto* properties :
       {&artifact.properties(), &artifact.custom_properties()}) {
    for (const auto& [name, value] : *properties) {
      if (!IsBookkeeping(name)) sorted[name] = value.SerializeAsString();
    }
  }
  Sha256 hash;
  for (const auto& [name, value] : sorted) {
    hash.UpdateField(name);
    hash.UpdateField(value);
  }
  return absl::StrCat("sha256:", hash.HexDigest());
}

// What identifies an artifact's content: its digest. When its writer recorded
// none, its id and place, and sizes and times of its files.
std::string ContentOf(const ml_metadata::Artifact& artifact) {
  std::string digest = CustomString(artifact, kDigestProperty);
  if (!digest.empty()) return digest;
  const absl::StatusOr<std::string> stat = StatFingerprint(artifact.uri());
  return absl::StrCat("id:", artifact.id(), " at ", artifact.uri(), ", stat ",
                      stat.ok() ? *stat : "unknown");
}

std::string ParameterText(const ml_metadata::Value& value) {
  switch (value.value_case()) {
    case ml_metadata::Value::kStringValue:
      return ShortOrDigest(value.string_value());
    case ml_metadata::Value::kIntValue:
      return absl::StrCat(value.int_value());
    default:
      return ShortOrDigest(value.ShortDebugString());
  }
}

// What the outputs depend on of an input.
std::string InputText(const InputSpec& input,
                      const ml_metadata::Artifact& artifact) {
  std::string text = ContentOf(artifact);
  if (input.names_outputs) {
    absl::StrAppend(&text, ", artifact ", artifact.id());
  }
  if (input.properties_count) {
    absl::StrAppend(&text, ", properties ", PropertiesText(artifact));
  }
  return text;
}

// --- what an interrupted attempt read ---------------------------------------

using Choices = std::map<std::string, InputChoice>;  // by key

// Whether the last attempt ended by no fault of its own, or has not ended.
bool WasInterrupted(const ml_metadata::Execution& execution) {
  switch (execution.last_known_state()) {
    case ml_metadata::Execution::RUNNING:
    case ml_metadata::Execution::CANCELED:
      return true;
    case ml_metadata::Execution::FAILED: {
      const auto code = CodeOfExecutionResult(
          CustomString(execution, kExecutionResultProperty));
      return code.has_value() && MayHelpToRetry(*code);
    }
    default:
      return false;
  }
}

// The choices of the attempt that this step continues; none if it continues
// none.
absl::StatusOr<Choices> FindInterruptedChoices(const StepSpec& spec,
                                               const MetadataStore& store) {
  ml_metadata::GetExecutionsByExternalIdsRequest request;
  request.add_external_ids(spec.ExternalId());
  const auto found = store.GetExecutionsByExternalIds(request);
  if (absl::IsNotFound(found.status())) return Choices();
  RK_RETURN_IF_ERROR(found.status());
  const ml_metadata::Execution& execution = found->executions(0);
  // One without its inputs had nothing to keep.
  if (CustomString(execution, kWorkKeyProperty).empty() ||
      !WasInterrupted(execution)) {
    return Choices();
  }
  return InputChoicesOf(execution);
}

// What the choice took, if the input asks for the same and it is still there.
absl::StatusOr<std::optional<Resolution>> TakeAgain(
    const InputSpec& input, const InputChoice& choice, const StepSpec& spec,
    const MetadataStore& store) {
  if (choice.type_name != input.type_name ||
      choice.reference != input.ref.ToString() || !choice.refusal.empty()) {
    return std::nullopt;
  }
  if (choice.taken.empty()) {
    if (input.required) return std::nullopt;
    return Resolution();
  }
  RK_ASSIGN_OR_RETURN(Resolution again,
                      Resolve({input.type_name,
                               {ArtifactRef::Ids{choice.taken}},
                               spec.pipeline,
                               spec.run_id,
                               spec.allow_partial,
                               spec.Files()},
                              store));
  if (!again.refusal.ok()) return std::nullopt;
  for (Candidate& candidate : again.candidates) {
    candidate.reason = absl::StrCat(
        "an interrupted attempt of this execution read it; ", candidate.reason);
  }
  return again;
}

// The flag that names the artifact of an input.
std::string FlagFor(const InputSpec& input) {
  if (input.typed_by_user) {
    return absl::StrCat("--input=", input.key, "=", input.type_name,
                        ":id:NUMBER");
  }
  return absl::StrCat("--", absl::StrReplaceAll(input.key, {{"_", "-"}}),
                      "=id:NUMBER");
}

absl::Status NothingUsable(const InputSpec& input, const StepSpec& spec,
                           const Resolution& resolution) {
  std::string message =
      absl::StrCat("input '", input.key, "': pipeline '", spec.pipeline,
                   "' has no usable ", input.type_name, " artifact");
  const auto& candidates = resolution.candidates;
  const size_t told = std::min(candidates.size(), kMaxTold);
  for (size_t i = 0; i < told; ++i) {
    absl::StrAppend(&message, "; artifact ", candidates[i].artifact.id(), ": ",
                    candidates[i].reason);
  }
  const size_t untold = candidates.size() - told + resolution.more_passed_over;
  if (untold > 0) absl::StrAppend(&message, "; and ", untold, " more");
  return WithReason(
      FailureReason::kInputNotFound,
      absl::NotFoundError(absl::StrCat(
          message, "; run the step that makes one first, or name one with ",
          FlagFor(input))));
}

// Whose files may be read under the key: also those at a place that the user
// has named.
FileRules RulesFor(const StepSpec& spec, const std::string& key) {
  FileRules rules = spec.Files();
  for (const InputSpec& input : spec.inputs) {
    const auto* named = std::get_if<ArtifactRef::Uri>(&input.ref.form);
    if (input.key != key || named == nullptr) continue;
    rules.roots = rules.roots.And(named->uri);
  }
  return rules;
}

// NOT_FOUND, with the name that was most likely meant, if the type is neither
// TFX's nor stored.
absl::StatusOr<absl::Status> CheckTypeIsStored(const std::string& type_name,
                                               const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const auto types, store.GetArtifactTypes({}));
  std::vector<std::string> names = StandardArtifactTypeNames();
  for (const ml_metadata::ArtifactType& type : types.artifact_types()) {
    names.push_back(type.name());
  }
  if (std::find(names.begin(), names.end(), type_name) != names.end()) {
    return absl::OkStatus();
  }
  const std::optional<std::string> nearest = NearestName(type_name, names);
  return absl::NotFoundError(absl::StrCat(
      "no artifact type '", type_name, "' is stored; ",
      nearest.has_value() ? absl::StrCat("did you mean ", *nearest, "?")
                          : "'rekindle metadata list types' shows what is"));
}

}  // namespace

absl::Status CheckRunIsOurs(const StepSpec& spec, const MetadataStore& store) {
  ml_metadata::GetContextByTypeAndNameRequest by_name;
  by_name.set_type_name("pipeline_run");
  by_name.set_context_name(spec.run_id);
  RK_ASSIGN_OR_RETURN(const auto run, store.GetContextByTypeAndName(by_name));
  if (!run.has_context()) return absl::OkStatus();

  ml_metadata::GetParentContextsByContextRequest parents_of;
  parents_of.set_context_id(run.context().id());
  RK_ASSIGN_OR_RETURN(const auto parents,
                      store.GetParentContextsByContext(parents_of));
  for (const ml_metadata::Context& parent : parents.contexts()) {
    if (parent.name() == spec.pipeline) return absl::OkStatus();
  }
  if (parents.contexts().empty()) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("run '", spec.run_id, "' belongs to pipeline '",
                   parents.contexts(0).name(), "', not to '", spec.pipeline,
                   "'; give this run another --run-id"));
}

absl::StatusOr<ResolvedInputs> ResolveInputs(const StepSpec& spec,
                                             const MetadataStore& store) {
  ResolvedInputs inputs;
  const FileRules files = spec.Files();
  RK_ASSIGN_OR_RETURN(const Choices earlier,
                      FindInterruptedChoices(spec, store));
  for (const InputSpec& input : spec.inputs) {
    Resolution& resolution = inputs[input.key];
    if (const auto choice = earlier.find(input.key); choice != earlier.end()) {
      RK_ASSIGN_OR_RETURN(std::optional<Resolution> again,
                          TakeAgain(input, choice->second, spec, store));
      if (again.has_value()) {
        resolution = *std::move(again);
        continue;
      }
    }
    RK_ASSIGN_OR_RETURN(resolution,
                        Resolve({input.type_name, input.ref, spec.pipeline,
                                 spec.run_id, spec.allow_partial, files},
                                store));
    if (input.typed_by_user && resolution.candidates.empty() &&
        resolution.refusal.ok()) {
      RK_ASSIGN_OR_RETURN(resolution.refusal,
                          CheckTypeIsStored(input.type_name, store));
    }
  }
  return inputs;
}

absl::Status CheckInputs(const StepSpec& spec, const ResolvedInputs& inputs) {
  for (const InputSpec& input : spec.inputs) {
    const Resolution& resolution = inputs.at(input.key);
    if (!resolution.refusal.ok()) {
      return WithReason(absl::IsNotFound(resolution.refusal)
                            ? FailureReason::kInputNotFound
                            : FailureReason::kInputUnusable,
                        WithContext(resolution.refusal,
                                    absl::StrCat("input '", input.key, "'")));
    }
    if (input.required && resolution.chosen.empty()) {
      return NothingUsable(input, spec, resolution);
    }
    if (input.single && resolution.chosen.size() > 1) {
      return WithReason(
          FailureReason::kInputUnusable,
          absl::FailedPreconditionError(absl::StrCat(
              "input '", input.key, "': ", input.ref.ToString(), " came to ",
              resolution.chosen.size(), " artifacts; it takes only one")));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckFilesOf(
    const StepSpec& spec,
    const std::map<std::string, std::vector<ml_metadata::Artifact>>& inputs) {
  for (const auto& [key, artifacts] : inputs) {
    const FileRules rules = RulesFor(spec, key);
    for (const ml_metadata::Artifact& artifact : artifacts) {
      const FilesVerdict files = CheckFiles(artifact, rules);
      if (files.usable) continue;
      return WithReason(FailureReason::kInputUnusable,
                        absl::FailedPreconditionError(absl::StrCat(
                            "input '", key, "': artifact ", artifact.id(),
                            " cannot be used: ", files.reason)));
    }
  }
  return absl::OkStatus();
}

CacheFields DescribeWork(const StepSpec& spec, const ResolvedInputs& inputs,
                         const std::set<std::string>& ignored_inputs) {
  CacheFields fields(spec.key_fields.begin(), spec.key_fields.end());
  fields["pipeline"] = spec.pipeline;
  fields["node"] = spec.node_id;
  fields["component"] = spec.execution_type.name();
  fields["component_version"] = spec.component_version;
  for (const auto& [name, value] : spec.parameters) {
    if (spec.immaterial_parameters.contains(name)) continue;
    fields[absl::StrCat("parameter.", name)] = ParameterText(value);
  }
  for (const InputSpec& input : spec.inputs) {
    if (ignored_inputs.contains(input.key)) {
      fields[absl::StrCat("input.", input.key)] = "ignored";
      continue;
    }
    int index = 0;
    for (const ml_metadata::Artifact& artifact : inputs.at(input.key).chosen) {
      fields[absl::StrCat("input.", input.key, ".", index++)] =
          InputText(input, artifact);
    }
  }
  for (const OutputSpec& output : spec.outputs) {
    fields[absl::StrCat("output.", output.key)] = output.type.name();
  }
  return fields;
}

bool CanBeCached(const StepSpec& spec) {
  return !spec.always_runs && !spec.outputs.empty() &&
         std::none_of(spec.outputs.begin(), spec.outputs.end(),
                      [](const OutputSpec& output) { return output.external; });
}

rekindle::v1::ClaimRequest MakeClaimRequest(
    const StepSpec& spec, const ResolvedInputs& inputs,
    const std::optional<CacheFields>& work, const std::string& owner,
    absl::Duration lease) {
  rekindle::v1::ClaimRequest request;
  request.set_external_id(spec.ExternalId());
  request.set_owner(owner);
  request.set_lease_millis(absl::ToInt64Milliseconds(lease));
  request.set_node_dir(NodeDirOf(spec.pipeline_root, spec.node_id));
  *request.mutable_execution_type() = spec.execution_type;
  request.mutable_execution()->set_name(RandomUuid());
  auto& properties = *request.mutable_execution()->mutable_custom_properties();
  properties.insert(spec.parameters.begin(), spec.parameters.end());
  properties.insert(spec.facts.begin(), spec.facts.end());

  constexpr int kPipeline = 0;
  *request.add_contexts() = MakeContext("pipeline", spec.pipeline, kNoParent);
  *request.add_contexts() = MakeContext("pipeline_run", spec.run_id, kPipeline);
  *request.add_contexts() = MakeContext(
      "node", absl::StrCat(spec.pipeline, ".", spec.node_id), kNoParent);
  if (work.has_value()) {
    request.set_work_key(CacheKeyOf(*work));
  }
  if (work.has_value() && CanBeCached(spec)) {
    properties[kCacheFieldsProperty] = StringValue(FieldsToJson(*work));
    auto& cache = *request.add_contexts();
    cache = MakeContext(kCacheContextType, request.work_key(), kNoParent);
    cache.set_outputs_only(true);
  }

  for (const InputSpec& input : spec.inputs) {
    properties[InputChoiceProperty(input.key)] = StringValue(
        ToJson(RecordChoice(input.type_name, input.ref, inputs.at(input.key))));
  }
  // As TFX: an execution that could not resolve all of its inputs has none, and
  // those of a resolver are its outputs.
  if (!CheckInputs(spec, inputs).ok() || spec.puts_out_inputs) return request;
  for (const auto& [key, resolution] : inputs) {
    int index = 0;
    for (const ml_metadata::Artifact& artifact : resolution.chosen) {
      auto& binding = *request.add_inputs();
      binding.set_key(key);
      binding.set_index(index++);
      binding.set_artifact_id(artifact.id());
    }
  }
  return request;
}

}  // namespace rekindle
