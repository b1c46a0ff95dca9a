#include "component/launch/publisher.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
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

OutputArtifact DescribeOutput(const OutputSpec& spec, const std::string& uri,
                              const TreeDigest& digest,
                              const StepResult::Output& properties) {
  OutputArtifact output;
  output.set_key(spec.key);
  *output.mutable_type() = spec.type;
  ml_metadata::Artifact& artifact = *output.mutable_artifact();
  artifact.set_uri(uri);
  for (const auto& [name, value] : properties.properties) {
    (*artifact.mutable_properties())[name] = value;
  }
  auto& custom = *artifact.mutable_custom_properties();
  for (const auto& [name, value] : properties.custom_properties) {
    custom[name] = value;
  }
  custom["tfx_version"] = StringValue(kTfxVersion);
  custom["is_external"] = IntValue(0);
  RecordDigest(digest, artifact);
  return output;
}

bool HoldsWhatWasAnnounced(const rekindle::v1::PreparedOutput& prepared) {
  const absl::StatusOr<TreeDigest> now = DigestTree(prepared.uri());
  return now.ok() && now->digest == prepared.digest();
}

}  // namespace

Publisher::Publisher(StepStore& store, OutputPaths paths, int64_t execution_id,
                     int64_t token, StageObserver on_stage)
    : store_(store),
      paths_(std::move(paths)),
      execution_id_(execution_id),
      token_(token),
      on_stage_(std::move(on_stage)) {}

std::string Publisher::RequestPath() const {
  return JoinPath(paths_.ExecutionDir(execution_id_), "publish_request.pb");
}

absl::Status Publisher::Announce(const PublishRequest& request) {
  // For Recover(): the record of the outputs must outlive this process.
  RK_RETURN_IF_ERROR(
      WriteFileAtomically(RequestPath(), request.SerializeAsString()));
  rekindle::v1::PreparePublishRequest prepare;
  prepare.set_execution_id(execution_id_);
  prepare.set_token(token_);
  for (const OutputArtifact& output : request.outputs()) {
    auto& prepared = *prepare.add_outputs();
    prepared.set_uri(output.artifact().uri());
    prepared.set_digest(CustomString(output.artifact(), kDigestProperty));
  }
  return store_.PreparePublish(prepare).status();
}

absl::StatusOr<std::vector<StepReport::Output>> Publisher::Publish(
    const std::vector<OutputSpec>& outputs,
    const std::map<std::string, std::string>& staged,
    const StepResult& result) {
  PublishRequest request;
  request.set_execution_id(execution_id_);
  for (const auto& [name, value] : result.execution_properties) {
    (*request.mutable_custom_properties())[name] = value;
  }
  for (const OutputSpec& output : outputs) {
    const std::string& folder = staged.at(output.key);
    RK_RETURN_IF_ERROR(SyncTree(folder));
    RK_ASSIGN_OR_RETURN(const TreeDigest digest, DigestTree(folder));
    const auto properties = result.outputs.find(output.key);
    *request.add_outputs() =
        DescribeOutput(output, paths_.Final(output.key, execution_id_), digest,
                       properties == result.outputs.end() ? StepResult::Output{}
                                                          : properties->second);
  }
  RK_RETURN_IF_ERROR(Announce(request));
  on_stage_(Stage::kAnnounced);
  for (const OutputSpec& output : InRenameOrder(outputs)) {
    RK_RETURN_IF_ERROR(MakeDirs(paths_.KeyDir(output.key)));
    RK_RETURN_IF_ERROR(RenameNoReplace(
        staged.at(output.key), paths_.Final(output.key, execution_id_)));
  }
  on_stage_(Stage::kRenamed);
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

absl::StatusOr<std::vector<StepReport::Output>> Publisher::Recover(
    const rekindle::v1::ClaimResponse& claim,
    const std::vector<OutputSpec>& outputs) {
  const absl::StatusOr<std::string> bytes = ReadFile(RequestPath());
  PublishRequest request;
  if (!claim.prepared().empty() && bytes.ok() &&
      request.ParseFromString(*bytes) &&
      std::all_of(claim.prepared().begin(), claim.prepared().end(),
                  HoldsWhatWasAnnounced)) {
    return Record(std::move(request));
  }
  for (const OutputSpec& output : outputs) {
    const std::string final_dir = paths_.Final(output.key, execution_id_);
    if (!PathExists(final_dir)) continue;
    RK_RETURN_IF_ERROR(RenameNoReplace(
        final_dir, paths_.Orphan(output.key, execution_id_, token_)));
  }
  return std::vector<StepReport::Output>{};
}

}  // namespace rekindle
