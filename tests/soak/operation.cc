#include "tests/soak/operation.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"

namespace rekindle::soak {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Event;

// The content's own source of chance; `purpose` keeps parts independent.
std::mt19937_64 ChanceOf(const Operation& operation, int purpose) {
  std::seed_seq seed{static_cast<uint32_t>(operation.seed),
                     static_cast<uint32_t>(operation.seed >> 32),
                     static_cast<uint32_t>(operation.writer),
                     static_cast<uint32_t>(operation.number),
                     static_cast<uint32_t>(purpose)};
  return std::mt19937_64(seed);
}

constexpr int kForKind = 0;
constexpr int kForExecution = 1;
constexpr int kForContext = 2;
constexpr int kForArtifacts = 3;
constexpr int kMaxArtifacts = 5;

// Mostly short, now and then longer than a page of the database; any byte.
std::string Text(std::mt19937_64& chance) {
  const size_t length = chance() % 16 == 0 ? chance() % 8000 : chance() % 60;
  std::string text;
  for (size_t i = 0; i < length; ++i) {
    text.push_back(static_cast<char>('!' + chance() % 90));
  }
  return text;
}

template <typename Node>
void FillProperties(std::mt19937_64& chance, Node* node) {
  auto& properties = *node->mutable_properties();
  properties["number"].set_int_value(static_cast<int64_t>(chance()));
  properties["value"].set_double_value(static_cast<double>(chance()) / 7.0);
  properties["text"].set_string_value(Text(chance));
  (*node->mutable_custom_properties())["extra"].set_string_value(Text(chance));
}

template <typename Type>
Type MakeType(const char* name) {
  Type type;
  type.set_name(name);
  (*type.mutable_properties())["number"] = ml_metadata::INT;
  (*type.mutable_properties())["value"] = ml_metadata::DOUBLE;
  (*type.mutable_properties())["text"] = ml_metadata::STRING;
  return type;
}

}  // namespace

Operation::Kind Operation::kind() const {
  std::mt19937_64 chance = ChanceOf(*this, kForKind);
  switch (chance() % 4) {
    case 0:
      return Kind::kBatch;
    case 1:
      return Kind::kStep;
    default:
      return Kind::kExecution;
  }
}

int Operation::artifacts() const {
  std::mt19937_64 chance = ChanceOf(*this, kForKind);
  chance.discard(1);  // what kind() took
  return 1 + static_cast<int>(chance() % kMaxArtifacts);
}

std::string Operation::name() const {
  return absl::StrCat("w", writer, "/", number);
}

std::string Operation::artifact_name(int index) const {
  return absl::StrCat(name(), "/", index);
}

Artifact MakeArtifact(const Operation& operation, int index, int version) {
  std::mt19937_64 chance =
      ChanceOf(operation, kForArtifacts + version * kMaxArtifacts + index);
  Artifact artifact;
  artifact.set_name(operation.artifact_name(index));
  artifact.set_external_id(operation.artifact_name(index));
  artifact.set_uri(absl::StrCat("/soak/", operation.artifact_name(index)));
  artifact.set_state(Artifact::LIVE);
  FillProperties(chance, &artifact);
  return artifact;
}

ml_metadata::Execution MakeExecution(const Operation& operation) {
  std::mt19937_64 chance = ChanceOf(operation, kForExecution);
  ml_metadata::Execution execution;
  execution.set_name(operation.name());
  execution.set_external_id(operation.name());
  execution.set_last_known_state(ml_metadata::Execution::COMPLETE);
  FillProperties(chance, &execution);
  return execution;
}

ml_metadata::Context MakeContext(const Operation& operation) {
  std::mt19937_64 chance = ChanceOf(operation, kForContext);
  ml_metadata::Context context;
  context.set_name(operation.name());
  context.set_external_id(operation.name());
  FillProperties(chance, &context);
  return context;
}

Event MakeOutputEvent(int index) {
  Event event;
  event.set_type(Event::OUTPUT);
  event.set_milliseconds_since_epoch(1000 + index);
  event.mutable_path()->add_steps()->set_key("model");
  event.mutable_path()->add_steps()->set_index(index);
  return event;
}

Event MakeInputEvent(int64_t artifact_id) {
  Event event;
  event.set_type(Event::INPUT);
  event.set_artifact_id(artifact_id);
  event.set_milliseconds_since_epoch(999);
  event.mutable_path()->add_steps()->set_key("base_model");
  return event;
}

ml_metadata::PutTypesRequest MakePutTypes() {
  ml_metadata::PutTypesRequest request;
  *request.add_artifact_types() = MakeType<ml_metadata::ArtifactType>("Model");
  *request.add_execution_types() =
      MakeType<ml_metadata::ExecutionType>("Trainer");
  *request.add_context_types() = MakeType<ml_metadata::ContextType>("Run");
  *request.add_context_types() = MakeType<ml_metadata::ContextType>("Pipeline");
  return request;
}

ml_metadata::PutExecutionRequest MakePutExecution(
    const Operation& operation, const TypeIds& types,
    std::optional<int64_t> input_artifact) {
  ml_metadata::PutExecutionRequest request;
  *request.mutable_execution() = MakeExecution(operation);
  request.mutable_execution()->set_type_id(types.trainer);
  for (int i = 0; i < operation.artifacts(); ++i) {
    auto& pair = *request.add_artifact_event_pairs();
    *pair.mutable_artifact() = MakeArtifact(operation, i, /*version=*/0);
    pair.mutable_artifact()->set_type_id(types.model);
    *pair.mutable_event() = MakeOutputEvent(i);
  }
  if (input_artifact.has_value()) {
    *request.add_artifact_event_pairs()->mutable_event() =
        MakeInputEvent(*input_artifact);
  }
  auto& own = *request.add_contexts();
  own = MakeContext(operation);
  own.set_type_id(types.run);
  auto& shared = *request.add_contexts();
  shared.set_type_id(types.pipeline);
  shared.set_name(kSharedContext);
  request.mutable_options()->set_reuse_context_if_already_exist(true);
  return request;
}

ml_metadata::PutArtifactsRequest MakePutArtifacts(const Operation& operation,
                                                  const TypeIds& types) {
  ml_metadata::PutArtifactsRequest request;
  for (int i = 0; i < operation.artifacts(); ++i) {
    Artifact& artifact = *request.add_artifacts();
    artifact = MakeArtifact(operation, i, /*version=*/0);
    artifact.set_type_id(types.model);
  }
  return request;
}

ml_metadata::PutArtifactsRequest MakeUpdate(const Operation& operation,
                                            const TypeIds& types,
                                            int64_t artifact_id, int version) {
  ml_metadata::PutArtifactsRequest request;
  Artifact& artifact = *request.add_artifacts();
  artifact = MakeArtifact(operation, /*index=*/0, version);
  artifact.set_id(artifact_id);
  artifact.set_type_id(types.model);
  return request;
}

v1::ClaimRequest MakeClaim(const std::string& name, int64_t lease_millis) {
  v1::ClaimRequest request;
  request.set_external_id(name);
  request.mutable_execution()->set_name(name);
  request.mutable_execution_type()->set_name("Step");
  request.set_lease_millis(lease_millis);
  request.set_owner("soak");
  auto& context = *request.add_contexts();
  context.mutable_type()->set_name("StepRun");
  context.set_name(name);
  context.set_parent_index(-1);
  return request;
}

v1::PreparePublishRequest MakePrepare(const Operation& operation,
                                      const v1::ClaimResponse& claim) {
  v1::PreparePublishRequest request;
  request.set_execution_id(claim.execution_id());
  request.set_token(claim.token());
  for (int i = 0; i < operation.artifacts(); ++i) {
    auto& output = *request.add_outputs();
    output.set_uri(MakeArtifact(operation, i, /*version=*/0).uri());
    output.set_digest("sha256:0");
  }
  return request;
}

v1::PublishRequest MakePublish(const Operation& operation,
                               const v1::ClaimResponse& claim) {
  v1::PublishRequest request;
  request.set_execution_id(claim.execution_id());
  request.set_token(claim.token());
  for (int i = 0; i < operation.artifacts(); ++i) {
    auto& output = *request.add_outputs();
    output.set_key("model");
    output.set_index(i);
    *output.mutable_type() = MakeType<ml_metadata::ArtifactType>("Model");
    *output.mutable_artifact() = MakeArtifact(operation, i, /*version=*/0);
  }
  return request;
}

}  // namespace rekindle::soak
