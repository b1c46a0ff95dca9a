#include "tests/bench/bench_graph.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Event;

constexpr int64_t kBatch = 1000;
constexpr int64_t kChain = 50;
constexpr int64_t kFanOut = 1000;

struct Types {
  int64_t examples = 0;
  int64_t model = 0;
  int64_t old_model = 0;
  int64_t trainer = 0;
  int64_t pipeline = 0;
};

absl::StatusOr<Types> PutTypes(MetadataStore& store) {
  ml_metadata::PutTypesRequest request;
  for (const char* name : {"Examples", "Model", "OldModel"}) {
    auto& type = *request.add_artifact_types();
    type.set_name(name);
    (*type.mutable_properties())["span"] = ml_metadata::INT;
    (*type.mutable_properties())["accuracy"] = ml_metadata::DOUBLE;
    (*type.mutable_properties())["split"] = ml_metadata::STRING;
  }
  request.add_execution_types()->set_name("Trainer");
  request.add_context_types()->set_name("pipeline");
  RK_ASSIGN_OR_RETURN(const auto ids, store.PutTypes(request));
  return Types{ids.artifact_type_ids(0), ids.artifact_type_ids(1),
               ids.artifact_type_ids(2), ids.execution_type_ids(0),
               ids.context_type_ids(0)};
}

// Returns the id of `busy`.
absl::StatusOr<int64_t> PutPipelines(const Types& types, MetadataStore& store) {
  ml_metadata::PutContextsRequest request;
  for (const char* name : {"busy", "cold"}) {
    auto& context = *request.add_contexts();
    context.set_type_id(types.pipeline);
    context.set_name(name);
  }
  RK_ASSIGN_OR_RETURN(const auto ids, store.PutContexts(request));
  return ids.context_ids(0);
}

Artifact MakeArtifact(int64_t number, int64_t total, const Types& types) {
  const int64_t kind = number % 4;
  Artifact artifact;
  artifact.set_type_id(kind < 2    ? types.examples
                       : kind == 2 ? types.model
                                   : types.old_model);
  artifact.set_uri(absl::StrCat("/data/pipelines/busy/", number));
  artifact.set_state(kind == 3 && number > total / 100 ? Artifact::DELETED
                                                       : Artifact::LIVE);
  auto& properties = *artifact.mutable_properties();
  properties["span"].set_int_value(number);
  properties["accuracy"].set_double_value(
      0.5 + 0.5 / (1.0 + static_cast<double>(number)));
  properties["split"].set_string_value("train,eval");
  auto& custom = *artifact.mutable_custom_properties();
  custom["digest"].set_string_value(absl::StrCat("sha256:", number));
  custom["bytes"].set_int_value(number * 1000);
  return artifact;
}

absl::Status PutArtifacts(int64_t total, const Types& types, int64_t pipeline,
                          MetadataStore& store) {
  for (int64_t first = 0; first < total; first += kBatch) {
    ml_metadata::PutArtifactsRequest request;
    const int64_t end = std::min(total, first + kBatch);
    for (int64_t i = first; i < end; ++i) {
      *request.add_artifacts() = MakeArtifact(i, total, types);
    }
    RK_ASSIGN_OR_RETURN(const auto ids, store.PutArtifacts(request));
    ml_metadata::PutAttributionsAndAssociationsRequest members;
    for (const int64_t id : ids.artifact_ids()) {
      auto& attribution = *members.add_attributions();
      attribution.set_context_id(pipeline);
      attribution.set_artifact_id(id);
    }
    RK_RETURN_IF_ERROR(store.PutAttributionsAndAssociations(members).status());
  }
  return absl::OkStatus();
}

// An execution that read one artifact and, unless it is 0, wrote another.
void AddExecution(int64_t type_id, int64_t input, int64_t output,
                  ml_metadata::PutLineageSubgraphRequest& request) {
  const int index = request.executions_size();
  request.add_executions()->set_type_id(type_id);
  const auto add_event = [&](int64_t artifact, Event::Type type) {
    auto& edge = *request.add_event_edges();
    edge.set_execution_index(index);
    edge.mutable_event()->set_artifact_id(artifact);
    edge.mutable_event()->set_type(type);
    edge.mutable_event()->mutable_path()->add_steps()->set_key("model");
  };
  add_event(input, Event::INPUT);
  if (output != 0) add_event(output, Event::OUTPUT);
}

absl::Status PutLineage(const ml_metadata::PutLineageSubgraphRequest& lineage,
                        int64_t pipeline, MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const auto ids, store.PutLineageSubgraph(lineage));
  ml_metadata::PutAttributionsAndAssociationsRequest members;
  for (const int64_t id : ids.execution_ids()) {
    auto& association = *members.add_associations();
    association.set_context_id(pipeline);
    association.set_execution_id(id);
  }
  return store.PutAttributionsAndAssociations(members).status();
}

// Executions of their own for the artifacts behind those of the chain.
absl::Status PutExecutions(int64_t artifacts, const Types& types,
                           int64_t pipeline, MetadataStore& store) {
  for (int64_t first = 100; first < artifacts; first += kBatch) {
    ml_metadata::PutLineageSubgraphRequest lineage;
    const int64_t end = std::min(artifacts - 1, first + kBatch);
    for (int64_t i = first; i < end; i += 4) {
      AddExecution(types.trainer, i, i + 1, lineage);
    }
    RK_RETURN_IF_ERROR(PutLineage(lineage, pipeline, store));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BenchGraph> PutBenchGraph(int64_t artifacts,
                                         MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const Types types, PutTypes(store));
  RK_ASSIGN_OR_RETURN(const int64_t pipeline, PutPipelines(types, store));
  RK_RETURN_IF_ERROR(PutArtifacts(artifacts, types, pipeline, store));
  RK_RETURN_IF_ERROR(PutExecutions(artifacts, types, pipeline, store));
  const BenchGraph graph = {.chain_end = 1 + kChain, .fan_out = 2 + kChain};
  ml_metadata::PutLineageSubgraphRequest lineage;
  for (int64_t i = 1; i <= kChain; ++i) {
    AddExecution(types.trainer, i, i + 1, lineage);
  }
  for (int64_t i = 0; i < kFanOut; ++i) {
    AddExecution(types.trainer, graph.fan_out, /*output=*/0, lineage);
  }
  RK_RETURN_IF_ERROR(PutLineage(lineage, pipeline, store));
  return graph;
}

}  // namespace rekindle
