#ifndef REKINDLE_TESTS_SOAK_OPERATION_H_
#define REKINDLE_TESTS_SOAK_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle::soak {

// The ids of the types that every writer uses.
struct TypeIds {
  int64_t model = 0;
  int64_t trainer = 0;
  int64_t run = 0;
  int64_t pipeline = 0;
};

// One write. All its content follows from these numbers: who remembers them
// knows what must be stored.
struct Operation {
  enum class Kind {
    kExecution,  // PutExecution: an execution, artifacts, events, contexts
    kBatch,      // PutArtifacts: several, of which the first is updated later
    kStep,       // Claim, PreparePublish and Publish of a step
  };

  uint64_t seed = 0;
  int writer = 0;
  int number = 0;

  Kind kind() const;
  int artifacts() const;  // at least 1
  // Unique; the external id and name of its execution and of its own context.
  std::string name() const;
  // The external id and name of its artifacts.
  std::string artifact_name(int index) const;
};

// The name of the context that all executions share.
inline constexpr char kSharedContext[] = "shared";

// What must be stored of an operation, without what the store adds: ids, types'
// names and times. `version` counts the updates of an artifact.
ml_metadata::Artifact MakeArtifact(const Operation& operation, int index,
                                   int version);
ml_metadata::Execution MakeExecution(const Operation& operation);
ml_metadata::Context MakeContext(const Operation& operation);
ml_metadata::Event MakeOutputEvent(int index);
ml_metadata::Event MakeInputEvent(int64_t artifact_id);

ml_metadata::PutTypesRequest MakePutTypes();
ml_metadata::PutExecutionRequest MakePutExecution(
    const Operation& operation, const TypeIds& types,
    std::optional<int64_t> input_artifact);
ml_metadata::PutArtifactsRequest MakePutArtifacts(const Operation& operation,
                                                  const TypeIds& types);
ml_metadata::PutArtifactsRequest MakeUpdate(const Operation& operation,
                                            const TypeIds& types,
                                            int64_t artifact_id, int version);

v1::ClaimRequest MakeClaim(const std::string& name, int64_t lease_millis);
v1::PreparePublishRequest MakePrepare(const Operation& operation,
                                      const v1::ClaimResponse& claim);
v1::PublishRequest MakePublish(const Operation& operation,
                               const v1::ClaimResponse& claim);

}  // namespace rekindle::soak

#endif  // REKINDLE_TESTS_SOAK_OPERATION_H_
