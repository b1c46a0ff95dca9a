#include "component/launch/publisher.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/copy_tree.h"
#include "base/digest.h"
#include "base/durable_dirs.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/cache/cache.h"
#include "component/launch/failure.h"
#include "component/launch/output_paths.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/step_store.h"
#include "metadata/api/values.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

using rekindle::v1::OutputArtifact;
using rekindle::v1::PreparedOutput;
using rekindle::v1::PublishRequest;

// Folders a failure may lose come first: if the process dies between two
// renames, what a retry continues is still where it looks for it.
std::vector<OutputSpec> InRenameOrder(std::vector<OutputSpec> outputs) {
  std::stable_sort(outputs.begin(), outputs.end(),
                   [](const OutputSpec& a, const OutputSpec& b) {
                     return a.survives_failure < b.survives_failure;
                   });
  return outputs;
}

// The executor may speak of the step's outputs and of no others.
absl::Status CheckKeys(const std::vector<OutputSpec>& outputs,
                       const StepResult& result) {
  for (const auto& [key, output] : result.outputs) {
    const bool known = std::any_of(
        outputs.begin(), outputs.end(),
        [&key = key](const OutputSpec& spec) { return spec.key == key; });
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("the executor answered for an output '", key,
                       "', which this step does not have"));
    }
  }
  return absl::OkStatus();
}

// What the executor answered for the output; often nothing.
StepResult::Output AnswerFor(const OutputSpec& spec, const StepResult& result) {
  const auto found = result.outputs.find(spec.key);
  return found == result.outputs.end() ? StepResult::Output{} : found->second;
}

// The output at `uri`, with the properties that every one has.
OutputArtifact DescribeOutput(const OutputSpec& spec, const std::string& uri,
                              const TreeDigest& digest,
                              const StepResult::Output& answer) {
  OutputArtifact output;
  output.set_key(spec.key);
  *output.mutable_type() = spec.type;
  ml_metadata::Artifact& artifact = *output.mutable_artifact();
  artifact.set_uri(uri);
  artifact.mutable_properties()->insert(answer.properties.begin(),
                                        answer.properties.end());
  auto& custom = *artifact.mutable_custom_properties();
  custom.insert(answer.custom_properties.begin(),
                answer.custom_properties.end());
  if (answer.external.has_name()) {
    artifact.set_name(answer.external.name());
    custom["name"] = StringValue(answer.external.name());
  }
  custom["tfx_version"] = StringValue(kTfxVersion);
  custom["is_external"] = IntValue(spec.external ? 1 : 0);
  RecordDigest(digest, artifact);
  return output;
}

// An artifact that is stored already, as an output once more.
OutputArtifact DescribeStored(const OutputSpec& spec,
                              const ml_metadata::Artifact& stored) {
  OutputArtifact output;
  output.set_key(spec.key);
  *output.mutable_type() = spec.type;
  *output.mutable_artifact() = stored;
  return output;
}

absl::StatusOr<OutputArtifact> DescribeExternal(
    const OutputSpec& spec, const StepResult::Output& answer) {
  if (answer.external.has_id()) return DescribeStored(spec, answer.external);
  RK_ASSIGN_OR_RETURN(const TreeDigest digest,
                      DigestTree(answer.external.uri()));
  return DescribeOutput(spec, answer.external.uri(), digest, answer);
}

bool HoldsWhatWasAnnounced(const PreparedOutput& prepared) {
  const absl::StatusOr<TreeDigest> now = DigestTree(prepared.uri());
  return now.ok() && now->digest == prepared.digest();
}

bool Announces(const OutputArtifact& output, const PreparedOutput& prepared) {
  return output.artifact().uri() == prepared.uri() &&
         CustomString(output.artifact(), kDigestProperty) == prepared.digest();
}

// What is recorded must be what is there.
absl::Status CheckUntouched(const ml_metadata::Artifact& artifact) {
  const absl::StatusOr<std::string> stat = StatFingerprint(artifact.uri());
  if (stat.ok() && *stat == CustomString(artifact, kStatFingerprintProperty)) {
    return absl::OkStatus();
  }
  const absl::StatusOr<TreeDigest> now = DigestTree(artifact.uri());
  if (now.ok() && now->digest == CustomString(artifact, kDigestProperty)) {
    return absl::OkStatus();
  }
  return WithReason(
      FailureReason::kInvalidOutput,
      absl::UnavailableError(absl::StrCat(
          artifact.uri(),
          " changed while it was published: something still writes into it")));
}

// The artifact that the request puts out under the key.
ml_metadata::Artifact& ArtifactOf(const std::string& key,
                                  PublishRequest& request) {
  return *std::find_if(request.mutable_outputs()->begin(),
                       request.mutable_outputs()->end(),
                       [&key](const OutputArtifact& output) {
                         return output.key() == key;
                       })
              ->mutable_artifact();
}

}  // namespace

Publisher::Publisher(StepStore& store, OutputPaths paths, int64_t execution_id,
                     int64_t token, StageObserver on_stage)
    : store_(store),
      paths_(std::move(paths)),
      execution_id_(execution_id),
      token_(token),
      on_stage_(std::move(on_stage)) {}

std::string Publisher::RequestPath(int64_t token) const {
  return JoinPath(paths_.ExecutionDir(execution_id_),
                  absl::StrCat("publish_request-", token, ".pb"));
}

absl::Status Publisher::Announce(const PublishRequest& request) {
  // For Recover(): the record of the outputs must outlive this process.
  RK_RETURN_IF_ERROR(
      WriteFileAtomically(RequestPath(token_), request.SerializeAsString()));
  rekindle::v1::PreparePublishRequest prepare;
  prepare.set_execution_id(execution_id_);
  prepare.set_token(token_);
  for (const OutputArtifact& output : request.outputs()) {
    if (output.artifact().has_id()) continue;
    auto& prepared = *prepare.add_outputs();
    prepared.set_uri(output.artifact().uri());
    prepared.set_digest(CustomString(output.artifact(), kDigestProperty));
  }
  return store_.PreparePublish(prepare).status();
}

absl::StatusOr<OutputArtifact> Publisher::DescribeStaged(
    const OutputSpec& spec, const std::map<std::string, std::string>& staged,
    const StepResult::Output& answer) const {
  const std::string& folder = staged.at(spec.key);
  const absl::string_view content = ContentSuffix(spec.type);
  RK_RETURN_IF_ERROR(
      WithReason(FailureReason::kInvalidOutput, CheckPlainTree(folder)));
  RK_RETURN_IF_ERROR(SyncTree(folder));
  RK_ASSIGN_OR_RETURN(const TreeDigest digest,
                      DigestTree(absl::StrCat(folder, content)));
  return DescribeOutput(spec, absl::StrCat(PlaceFor(spec.key), content), digest,
                        answer);
}

absl::StatusOr<std::vector<StepReport::Output>> Publisher::Publish(
    const std::vector<OutputSpec>& outputs,
    const std::map<std::string, std::string>& staged,
    const StepResult& result) {
  RK_RETURN_IF_ERROR(CheckKeys(outputs, result));
  PublishRequest request;
  request.set_execution_id(execution_id_);
  request.mutable_custom_properties()->insert(
      result.execution_properties.begin(), result.execution_properties.end());
  for (const OutputSpec& output : outputs) {
    const StepResult::Output answer = AnswerFor(output, result);
    RK_ASSIGN_OR_RETURN(*request.add_outputs(),
                        output.external
                            ? DescribeExternal(output, answer)
                            : DescribeStaged(output, staged, answer));
    if (answer.external.has_id()) request.set_cached(true);
  }
  RK_RETURN_IF_ERROR(Announce(request));
  on_stage_(Stage::kAnnounced);
  for (const OutputSpec& output : InRenameOrder(outputs)) {
    if (output.external) continue;
    RK_RETURN_IF_ERROR(MoveIntoPlace(staged.at(output.key), output, request));
  }
  on_stage_(Stage::kRenamed);
  for (const OutputSpec& output : outputs) {
    if (output.external) continue;
    RK_RETURN_IF_ERROR(CheckUntouched(ArtifactOf(output.key, request)));
  }
  return Record(std::move(request));
}

absl::StatusOr<std::vector<StepReport::Output>> Publisher::Record(
    PublishRequest request) {
  request.set_token(token_);
  RK_ASSIGN_OR_RETURN(const auto response, store_.Publish(request));
  on_stage_(Stage::kPublished);
  std::vector<StepReport::Output> published;
  for (int i = 0; i < request.outputs_size(); ++i) {
    StepReport::Output output{request.outputs(i).key(),
                              request.outputs(i).artifact()};
    output.artifact.set_id(response.artifact_ids(i));
    output.artifact.set_type(request.outputs(i).type().name());
    output.artifact.set_state(ml_metadata::Artifact::LIVE);
    published.push_back(std::move(output));
  }
  return published;
}

absl::StatusOr<std::vector<StepReport::Output>> Publisher::Reuse(
    const CacheEntry& hit, const CacheDecision& decision) {
  PublishRequest request;
  request.set_execution_id(execution_id_);
  request.set_token(token_);
  request.set_cached(true);
  auto& properties = *request.mutable_custom_properties();
  properties[kCachedFromProperty] = IntValue(hit.ComputedBy());
  properties[kCacheDecisionProperty] = StringValue(decision.ToJson());
  std::vector<StepReport::Output> reused;
  for (const CacheEntry::Output& output : hit.outputs) {
    OutputArtifact& published = *request.add_outputs();
    published.set_key(output.key);
    published.set_index(static_cast<int32_t>(output.index));
    published.mutable_artifact()->set_id(output.artifact.id());
    reused.push_back({output.key, output.artifact});
  }
  RK_RETURN_IF_ERROR(store_.Publish(request).status());
  on_stage_(Stage::kPublished);
  return reused;
}

absl::StatusOr<std::vector<StepReport::Output>> Publisher::PutOut(
    const ResolvedInputs& found) {
  PublishRequest request;
  request.set_execution_id(execution_id_);
  request.set_token(token_);
  std::vector<StepReport::Output> outputs;
  for (const auto& [key, resolution] : found) {
    int32_t index = 0;
    for (const ml_metadata::Artifact& artifact : resolution.chosen) {
      OutputArtifact& output = *request.add_outputs();
      output.set_key(key);
      output.set_index(index++);
      output.mutable_artifact()->set_id(artifact.id());
      outputs.push_back({key, artifact});
    }
  }
  RK_RETURN_IF_ERROR(store_.Publish(request).status());
  on_stage_(Stage::kPublished);
  return outputs;
}

// A place that is free. Somebody may take it before we do.
std::string Publisher::PlaceFor(const std::string& key) const {
  const std::string place = paths_.Final(key, execution_id_);
  return PathExists(place) ? paths_.OwnFinal(key, execution_id_, token_)
                           : place;
}

// What is in the way may be another store's, or of an attempt before or after
// us: none of it is ours to move.
absl::Status Publisher::MoveIntoPlace(const std::string& staged,
                                      const OutputSpec& spec,
                                      PublishRequest& request) {
  const absl::string_view content = ContentSuffix(spec.type);
  ml_metadata::Artifact& artifact = ArtifactOf(spec.key, request);
  const std::string place(absl::StripSuffix(artifact.uri(), content));
  const std::string own = paths_.OwnFinal(spec.key, execution_id_, token_);
  RK_RETURN_IF_ERROR(MakeDurableDirs(paths_.KeyDir(spec.key)));
  const absl::Status moved = RenameNoReplace(staged, place);
  if (!absl::IsAlreadyExists(moved) || place == own) return moved;
  artifact.set_uri(absl::StrCat(own, content));
  RK_RETURN_IF_ERROR(Announce(request));
  return RenameNoReplace(staged, own);
}

// The request of the attempt that announced what the claim says.
std::optional<PublishRequest> Publisher::FindAnnounced(
    const rekindle::v1::ClaimResponse& claim) const {
  if (claim.prepared().empty()) return std::nullopt;
  for (int64_t token = token_ - 1; token > 0; --token) {
    const absl::StatusOr<std::string> bytes = ReadFile(RequestPath(token));
    PublishRequest request;
    if (bytes.ok() && request.ParseFromString(*bytes) &&
        std::equal(request.outputs().begin(), request.outputs().end(),
                   claim.prepared().begin(), claim.prepared().end(),
                   Announces)) {
      return request;
    }
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<StepReport::Output>> Publisher::Recover(
    const rekindle::v1::ClaimResponse& claim) {
  std::optional<PublishRequest> announced;
  if (claim.prepared_is_same_work()) announced = FindAnnounced(claim);
  if (announced.has_value() &&
      std::all_of(claim.prepared().begin(), claim.prepared().end(),
                  HoldsWhatWasAnnounced)) {
    return Record(*std::move(announced));
  }
  return std::vector<StepReport::Output>{};
}

}  // namespace rekindle
