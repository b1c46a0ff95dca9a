#include "component/launch/publisher.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
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
using rekindle::v1::PreparedOutput;
using rekindle::v1::PublishRequest;

// How often to try again when an attempt that lost its claim gets in the way.
constexpr int kMoveAttempts = 5;

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

bool HoldsWhatWasAnnounced(const PreparedOutput& prepared) {
  const absl::StatusOr<TreeDigest> now = DigestTree(prepared.uri());
  return now.ok() && now->digest == prepared.digest();
}

bool Announces(const OutputArtifact& output, const PreparedOutput& prepared) {
  return output.artifact().uri() == prepared.uri() &&
         CustomString(output.artifact(), kDigestProperty) == prepared.digest();
}

// What a path leads to, as long as that exists; 0 for nothing.
ino_t InodeOf(const std::string& path) {
  struct stat found = {};
  return stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

}  // namespace

Publisher::Publisher(StepStore& store, OutputPaths paths, int64_t execution_id,
                     int64_t token, absl::Duration lease,
                     StageObserver on_stage)
    : store_(store),
      paths_(std::move(paths)),
      execution_id_(execution_id),
      token_(token),
      lease_(lease),
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
    RK_RETURN_IF_ERROR(MoveIntoPlace(output, staged.at(output.key)));
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

absl::Status Publisher::MoveIntoPlace(const OutputSpec& output,
                                      const std::string& staged) const {
  RK_RETURN_IF_ERROR(MakeDirs(paths_.KeyDir(output.key)));
  absl::Status moved;
  for (int i = 0; i < kMoveAttempts; ++i) {
    moved = RenameNoReplace(staged, paths_.Final(output.key, execution_id_));
    if (!absl::IsAlreadyExists(moved)) return moved;
    RK_RETURN_IF_ERROR(ClearTheWay(output.key));
  }
  return moved;
}

absl::Status Publisher::CheckClaim() const {
  rekindle::v1::RenewRequest request;
  request.set_execution_id(execution_id_);
  request.set_token(token_);
  request.set_lease_millis(absl::ToInt64Milliseconds(lease_));
  return store_.Renew(request).status();
}

// What is in place while the claim holds was left by an attempt before us: one
// after us would have ended our claim. Should the claim end between the check
// and the rename, it is our successor's folder that was moved, and it goes
// back.
absl::Status Publisher::ClearTheWay(const std::string& key) const {
  const std::string place = paths_.Final(key, execution_id_);
  const ino_t in_the_way = InodeOf(place);
  if (in_the_way == 0) return absl::OkStatus();
  RK_RETURN_IF_ERROR(CheckClaim());
  const std::string aside = paths_.Orphan(key, execution_id_, token_);
  RK_RETURN_IF_ERROR(RemoveTree(aside));
  RK_RETURN_IF_ERROR(RenameNoReplace(place, aside));
  if (InodeOf(aside) == in_the_way) return absl::OkStatus();
  RK_RETURN_IF_ERROR(RenameNoReplace(aside, place));
  return absl::AbortedError(absl::StrCat("execution ", execution_id_,
                                         " was taken over by another process"));
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
    const rekindle::v1::ClaimResponse& claim,
    const std::vector<OutputSpec>& outputs) {
  std::optional<PublishRequest> announced = FindAnnounced(claim);
  if (announced.has_value() &&
      std::all_of(claim.prepared().begin(), claim.prepared().end(),
                  HoldsWhatWasAnnounced)) {
    return Record(*std::move(announced));
  }
  for (const OutputSpec& output : outputs) {
    RK_RETURN_IF_ERROR(ClearTheWay(output.key));
  }
  return std::vector<StepReport::Output>{};
}

}  // namespace rekindle
