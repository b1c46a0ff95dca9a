#ifndef REKINDLE_TESTS_COMPONENT_RESOLVE_RESOLVE_GRAPH_H_
#define REKINDLE_TESTS_COMPONENT_RESOLVE_RESOLVE_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/support/status_matchers.h"

namespace rekindle {

// Who wrote or read an artifact.
struct Place {
  std::string pipeline = "p";
  std::string run = "run-1";
  std::string node = "Node";
  std::string key = "output";
};

// A store in memory, filled as TFX fills one: executions in the contexts of
// their pipeline, run and node, and events from them to artifacts.
class ResolveGraph {
 public:
  ResolveGraph() : store_(*OpenSqliteStore(":memory:", clock_)) {}

  MetadataStore& metadata() { return store_->metadata(); }
  FakeClock& clock() { return clock_; }

  // Records that an execution put the artifact out; LIVE unless it says
  // otherwise. Returns its id.
  int64_t PutOutput(const std::string& type, ml_metadata::Artifact artifact,
                    const Place& place = {}) {
    return PutOutputs(type, {std::move(artifact)}, place).front();
  }

  // The same for several under one key, in the order of their index.
  std::vector<int64_t> PutOutputs(const std::string& type,
                                  std::vector<ml_metadata::Artifact> artifacts,
                                  const Place& place = {}) {
    ml_metadata::PutExecutionRequest request = Execution(place);
    int64_t index = 0;
    for (ml_metadata::Artifact& artifact : artifacts) {
      if (!artifact.has_state())
        artifact.set_state(ml_metadata::Artifact::LIVE);
      artifact.set_type_id(PutType(type));
      auto& pair = *request.add_artifact_event_pairs();
      *pair.mutable_artifact() = std::move(artifact);
      *pair.mutable_event() = Event(ml_metadata::Event::OUTPUT, place, index++);
    }
    const auto response = metadata().PutExecution(request);
    EXPECT_THAT(response, IsOk());
    return {response->artifact_ids().begin(), response->artifact_ids().end()};
  }

  // Records that an execution read the artifact, which puts the artifact into
  // the contexts of the reader.
  void PutInput(int64_t artifact_id, const Place& place) {
    ml_metadata::GetArtifactsByIDRequest by_id;
    by_id.add_artifact_ids(artifact_id);
    ml_metadata::PutExecutionRequest request = Execution(place);
    auto& pair = *request.add_artifact_event_pairs();
    *pair.mutable_artifact() = metadata().GetArtifactsByID(by_id)->artifacts(0);
    *pair.mutable_event() = Event(ml_metadata::Event::INPUT, place, 0);
    EXPECT_THAT(metadata().PutExecution(request), IsOk());
  }

 private:
  int64_t PutType(const std::string& name) {
    ml_metadata::PutArtifactTypeRequest request;
    request.mutable_artifact_type()->set_name(name);
    auto& properties = *request.mutable_artifact_type()->mutable_properties();
    if (name == "Examples") properties["span"] = ml_metadata::INT;
    return metadata().PutArtifactType(request)->type_id();
  }

  void AddContext(const std::string& type, const std::string& name,
                  ml_metadata::PutExecutionRequest& request) {
    ml_metadata::PutContextTypeRequest put_type;
    put_type.mutable_context_type()->set_name(type);
    auto& context = *request.add_contexts();
    context.set_type_id(metadata().PutContextType(put_type)->type_id());
    context.set_name(name);
  }

  ml_metadata::PutExecutionRequest Execution(const Place& place) {
    ml_metadata::PutExecutionTypeRequest type;
    type.mutable_execution_type()->set_name("Component");
    ml_metadata::PutExecutionRequest request;
    request.mutable_execution()->set_type_id(
        metadata().PutExecutionType(type)->type_id());
    request.mutable_options()->set_reuse_context_if_already_exist(true);
    AddContext("pipeline", place.pipeline, request);
    AddContext("pipeline_run", place.run, request);
    AddContext("node", place.pipeline + "." + place.node, request);
    return request;
  }

  static ml_metadata::Event Event(ml_metadata::Event::Type type,
                                  const Place& place, int64_t index) {
    ml_metadata::Event event;
    event.set_type(type);
    event.mutable_path()->add_steps()->set_key(place.key);
    event.mutable_path()->add_steps()->set_index(index);
    return event;
  }

  FakeClock clock_{absl::FromUnixSeconds(1'000'000)};
  std::unique_ptr<Store> store_;
};

}  // namespace rekindle

#endif  // REKINDLE_TESTS_COMPONENT_RESOLVE_RESOLVE_GRAPH_H_
