#include "tests/conformance/random_graph.h"

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::ArtifactType;
using ::ml_metadata::Context;
using ::ml_metadata::ContextType;
using ::ml_metadata::Event;
using ::ml_metadata::Execution;
using ::ml_metadata::ExecutionType;
using ::ml_metadata::LineageGraph;
using ::ml_metadata::PropertyType;
using ::ml_metadata::Value;

// --- choices ----------------------------------------------------------------

class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}

  int64_t Below(int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random_);
  }
  bool Toss() { return Below(2) == 1; }

  // Valid UTF-8, as other readers of the file insist on.
  std::string Text() {
    static const std::vector<std::string> kPieces = {
        "a",  "B",  "7", " ",  "'", "\"",  "%",   "_",
        "\\", "\n", "é", "日", "😀", ";--", "mlmd"};
    std::string text;
    for (int64_t i = Below(8); i >= 0; --i) {
      text += kPieces[Below(static_cast<int64_t>(kPieces.size()))];
    }
    return text;
  }

  int64_t Integer() {
    const int64_t bits = Below(63);
    const int64_t value = std::uniform_int_distribution<int64_t>(
        0, (int64_t{1} << bits))(random_);
    return Toss() ? value : -value;
  }

  double Real() {
    const double value =
        std::uniform_real_distribution<double>(-1.0, 1.0)(random_);
    switch (Below(4)) {
      case 0:
        return value * 1e-9;
      case 1:
        return value * 1e18;
      case 2:
        return static_cast<double>(Below(100));
      default:
        return value;
    }
  }

 private:
  std::mt19937_64 random_;
};

google::protobuf::Struct RandomStruct(Dice& dice) {
  google::protobuf::Struct value;
  auto& fields = *value.mutable_fields();
  fields["text"].set_string_value(dice.Text());
  fields["number"].set_number_value(dice.Real());
  if (dice.Toss()) {
    fields["list"].mutable_list_value()->add_values()->set_bool_value(true);
  }
  return value;
}

Value RandomValue(Dice& dice, PropertyType type) {
  Value value;
  switch (type) {
    case ml_metadata::INT:
      value.set_int_value(dice.Integer());
      break;
    case ml_metadata::DOUBLE:
      value.set_double_value(dice.Real());
      break;
    case ml_metadata::STRUCT:
      *value.mutable_struct_value() = RandomStruct(dice);
      break;
    case ml_metadata::PROTO:
      value.mutable_proto_value()->PackFrom(RandomStruct(dice));
      break;
    case ml_metadata::BOOLEAN:
      value.set_bool_value(dice.Toss());
      break;
    default:
      value.set_string_value(dice.Text());
  }
  return value;
}

PropertyType RandomPropertyType(Dice& dice) {
  return static_cast<PropertyType>(1 + dice.Below(6));
}

// --- what to write ----------------------------------------------------------

template <typename Type>
Type RandomType(Dice& dice, const std::string& name) {
  Type type;
  type.set_name(absl::StrCat(name, dice.Text()));
  if (dice.Toss()) type.set_version(absl::StrCat("v", dice.Below(3)));
  if (dice.Toss()) type.set_description(dice.Text());
  if (dice.Toss()) type.set_external_id(absl::StrCat("type of ", name));
  for (int64_t i = dice.Below(7); i > 0; --i) {
    (*type.mutable_properties())[absl::StrCat("p", i, dice.Text())] =
        RandomPropertyType(dice);
  }
  return type;
}

template <typename Node, typename Type>
Node RandomNode(Dice& dice, const Type& type, const std::string& name) {
  Node node;
  node.set_type_id(type.id());
  node.set_type(type.name());
  node.set_name(absl::StrCat(name, dice.Text()));
  if (dice.Toss()) node.set_external_id(absl::StrCat("id of ", name));
  for (const auto& [property, value_type] : type.properties()) {
    if (dice.Toss()) {
      (*node.mutable_properties())[property] = RandomValue(dice, value_type);
    }
  }
  for (int64_t i = dice.Below(4); i > 0; --i) {
    (*node.mutable_custom_properties())[absl::StrCat(dice.Text(), i)] =
        RandomValue(dice, RandomPropertyType(dice));
  }
  return node;
}

Event RandomEvent(Dice& dice, const Artifact& artifact,
                  const Execution& execution) {
  Event event;
  event.set_artifact_id(artifact.id());
  event.set_execution_id(execution.id());
  event.set_type(static_cast<Event::Type>(1 + dice.Below(7)));
  event.set_milliseconds_since_epoch(1 + dice.Below(1'000'000'000));
  for (int64_t i = dice.Below(4); i > 0; --i) {
    auto* step = event.mutable_path()->add_steps();
    if (dice.Toss()) {
      step->set_index(dice.Below(10));
    } else {
      step->set_key(dice.Text());
    }
  }
  return event;
}

// --- writing ----------------------------------------------------------------

absl::Status WriteTypes(MetadataStore& store, Dice& dice,
                        const std::string& prefix, LineageGraph& graph) {
  for (int i = 0; i < 3; ++i) {
    const std::string name = absl::StrCat(prefix, "T", i);
    *graph.add_artifact_types() =
        RandomType<ArtifactType>(dice, absl::StrCat(name, "a"));
    *graph.add_execution_types() =
        RandomType<ExecutionType>(dice, absl::StrCat(name, "e"));
    *graph.add_context_types() =
        RandomType<ContextType>(dice, absl::StrCat(name, "c"));
  }
  graph.mutable_artifact_types(0)->set_base_type(ArtifactType::MODEL);
  graph.mutable_execution_types(0)->set_base_type(ExecutionType::TRAIN);
  graph.mutable_execution_types(1)->mutable_input_type()->mutable_any();
  ml_metadata::PutTypesRequest request;
  *request.mutable_artifact_types() = graph.artifact_types();
  *request.mutable_execution_types() = graph.execution_types();
  *request.mutable_context_types() = graph.context_types();
  RK_ASSIGN_OR_RETURN(const auto ids, store.PutTypes(request));
  for (int i = 0; i < 3; ++i) {
    graph.mutable_artifact_types(i)->set_id(ids.artifact_type_ids(i));
    graph.mutable_execution_types(i)->set_id(ids.execution_type_ids(i));
    graph.mutable_context_types(i)->set_id(ids.context_type_ids(i));
  }
  return absl::OkStatus();
}

absl::Status WriteArtifacts(MetadataStore& store, Dice& dice,
                            const std::string& prefix, LineageGraph& graph) {
  ml_metadata::PutArtifactsRequest request;
  for (int i = 0; i < 20; ++i) {
    auto node = RandomNode<Artifact>(
        dice, graph.artifact_types(static_cast<int>(dice.Below(3))),
        absl::StrCat(prefix, "A", i));
    node.set_uri(dice.Text());
    if (dice.Toss()) {
      node.set_state(static_cast<Artifact::State>(dice.Below(7)));
    }
    *request.add_artifacts() = node;
  }
  RK_ASSIGN_OR_RETURN(const auto ids, store.PutArtifacts(request));
  for (int i = 0; i < request.artifacts_size(); ++i) {
    request.mutable_artifacts(i)->set_id(ids.artifact_ids(i));
  }
  *graph.mutable_artifacts() = request.artifacts();
  return absl::OkStatus();
}

absl::Status WriteExecutions(MetadataStore& store, Dice& dice,
                             const std::string& prefix, LineageGraph& graph) {
  ml_metadata::PutExecutionsRequest request;
  for (int i = 0; i < 10; ++i) {
    auto node = RandomNode<Execution>(
        dice, graph.execution_types(static_cast<int>(dice.Below(3))),
        absl::StrCat(prefix, "E", i));
    if (dice.Toss()) {
      node.set_last_known_state(static_cast<Execution::State>(dice.Below(7)));
    }
    *request.add_executions() = node;
  }
  RK_ASSIGN_OR_RETURN(const auto ids, store.PutExecutions(request));
  for (int i = 0; i < request.executions_size(); ++i) {
    request.mutable_executions(i)->set_id(ids.execution_ids(i));
  }
  *graph.mutable_executions() = request.executions();
  return absl::OkStatus();
}

absl::Status WriteContexts(MetadataStore& store, Dice& dice,
                           const std::string& prefix, LineageGraph& graph) {
  ml_metadata::PutContextsRequest request;
  for (int i = 0; i < 6; ++i) {
    *request.add_contexts() = RandomNode<Context>(
        dice, graph.context_types(static_cast<int>(dice.Below(3))),
        absl::StrCat(prefix, "C", i));
  }
  RK_ASSIGN_OR_RETURN(const auto ids, store.PutContexts(request));
  for (int i = 0; i < request.contexts_size(); ++i) {
    request.mutable_contexts(i)->set_id(ids.context_ids(i));
  }
  *graph.mutable_contexts() = request.contexts();
  return absl::OkStatus();
}

absl::Status WriteEvents(MetadataStore& store, Dice& dice,
                         LineageGraph& graph) {
  ml_metadata::PutEventsRequest request;
  for (const Artifact& artifact : graph.artifacts()) {
    for (const Execution& execution : graph.executions()) {
      if (dice.Below(4) != 0) continue;
      *request.add_events() = RandomEvent(dice, artifact, execution);
    }
  }
  *graph.mutable_events() = request.events();
  return store.PutEvents(request).status();
}

// Contexts point only at earlier ones: no cycle.
absl::Status WriteEdges(MetadataStore& store, Dice& dice, LineageGraph& graph) {
  ml_metadata::PutParentContextsRequest parents;
  ml_metadata::PutAttributionsAndAssociationsRequest members;
  for (const Context& context : graph.contexts()) {
    for (const Context& other : graph.contexts()) {
      if (other.id() >= context.id() || dice.Toss()) continue;
      auto* edge = parents.add_parent_contexts();
      edge->set_child_id(context.id());
      edge->set_parent_id(other.id());
    }
    for (const Artifact& artifact : graph.artifacts()) {
      if (dice.Toss()) continue;
      auto* edge = members.add_attributions();
      edge->set_artifact_id(artifact.id());
      edge->set_context_id(context.id());
    }
    for (const Execution& execution : graph.executions()) {
      if (dice.Toss()) continue;
      auto* edge = members.add_associations();
      edge->set_execution_id(execution.id());
      edge->set_context_id(context.id());
    }
  }
  *graph.mutable_parent_contexts() = parents.parent_contexts();
  *graph.mutable_attributions() = members.attributions();
  *graph.mutable_associations() = members.associations();
  RK_RETURN_IF_ERROR(store.PutParentContexts(parents).status());
  return store.PutAttributionsAndAssociations(members).status();
}

// --- reading ----------------------------------------------------------------

absl::Status ReadTypes(const MetadataStore& store, LineageGraph& graph) {
  RK_ASSIGN_OR_RETURN(const auto artifacts, store.GetArtifactTypes({}));
  RK_ASSIGN_OR_RETURN(const auto executions, store.GetExecutionTypes({}));
  RK_ASSIGN_OR_RETURN(const auto contexts, store.GetContextTypes({}));
  *graph.mutable_artifact_types() = artifacts.artifact_types();
  *graph.mutable_execution_types() = executions.execution_types();
  *graph.mutable_context_types() = contexts.context_types();
  return absl::OkStatus();
}

absl::Status ReadNodes(const MetadataStore& store, LineageGraph& graph) {
  RK_ASSIGN_OR_RETURN(const auto artifacts, store.GetArtifacts({}));
  RK_ASSIGN_OR_RETURN(const auto executions, store.GetExecutions({}));
  RK_ASSIGN_OR_RETURN(const auto contexts, store.GetContexts({}));
  *graph.mutable_artifacts() = artifacts.artifacts();
  *graph.mutable_executions() = executions.executions();
  *graph.mutable_contexts() = contexts.contexts();
  return absl::OkStatus();
}

absl::Status ReadEvents(const MetadataStore& store, LineageGraph& graph) {
  ml_metadata::GetEventsByExecutionIDsRequest request;
  for (const Execution& execution : graph.executions()) {
    request.add_execution_ids(execution.id());
  }
  RK_ASSIGN_OR_RETURN(const auto events,
                      store.GetEventsByExecutionIDs(request));
  *graph.mutable_events() = events.events();
  return absl::OkStatus();
}

absl::Status ReadEdges(const MetadataStore& store, LineageGraph& graph) {
  for (const Context& context : graph.contexts()) {
    ml_metadata::GetArtifactsByContextRequest artifacts_of;
    artifacts_of.set_context_id(context.id());
    RK_ASSIGN_OR_RETURN(const auto artifacts,
                        store.GetArtifactsByContext(artifacts_of));
    for (const Artifact& artifact : artifacts.artifacts()) {
      auto* edge = graph.add_attributions();
      edge->set_artifact_id(artifact.id());
      edge->set_context_id(context.id());
    }
    ml_metadata::GetExecutionsByContextRequest executions_of;
    executions_of.set_context_id(context.id());
    RK_ASSIGN_OR_RETURN(const auto executions,
                        store.GetExecutionsByContext(executions_of));
    for (const Execution& execution : executions.executions()) {
      auto* edge = graph.add_associations();
      edge->set_execution_id(execution.id());
      edge->set_context_id(context.id());
    }
    ml_metadata::GetParentContextsByContextRequest parents_of;
    parents_of.set_context_id(context.id());
    RK_ASSIGN_OR_RETURN(const auto parents,
                        store.GetParentContextsByContext(parents_of));
    for (const Context& parent : parents.contexts()) {
      auto* edge = graph.add_parent_contexts();
      edge->set_child_id(context.id());
      edge->set_parent_id(parent.id());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LineageGraph> WriteRandomGraph(MetadataStore& store,
                                              uint64_t seed) {
  Dice dice(seed);
  LineageGraph graph;
  const std::string prefix = absl::StrCat("s", seed, "-");
  RK_RETURN_IF_ERROR(WriteTypes(store, dice, prefix, graph));
  RK_RETURN_IF_ERROR(WriteArtifacts(store, dice, prefix, graph));
  RK_RETURN_IF_ERROR(WriteExecutions(store, dice, prefix, graph));
  RK_RETURN_IF_ERROR(WriteContexts(store, dice, prefix, graph));
  RK_RETURN_IF_ERROR(WriteEvents(store, dice, graph));
  RK_RETURN_IF_ERROR(WriteEdges(store, dice, graph));
  return graph;
}

absl::StatusOr<LineageGraph> ReadGraph(const MetadataStore& store) {
  LineageGraph graph;
  RK_RETURN_IF_ERROR(ReadTypes(store, graph));
  RK_RETURN_IF_ERROR(ReadNodes(store, graph));
  RK_RETURN_IF_ERROR(ReadEvents(store, graph));
  RK_RETURN_IF_ERROR(ReadEdges(store, graph));
  return graph;
}

}  // namespace rekindle
