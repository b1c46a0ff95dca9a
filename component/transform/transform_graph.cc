#include "component/transform/transform_graph.h"

#include <filesystem>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "component/features/schema_file.h"
#include "component/transform/graph_trace.h"
#include "component/transform/transform_signature.h"
#include "tensorflow/cc/saved_model/constants.h"
#include "tensorflow/cc/saved_model/loader.h"
#include "tensorflow/cc/saved_model/loader_util.h"
#include "tensorflow/cc/saved_model/reader.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

using ::tensorflow::GraphDef;
using ::tensorflow::MetaGraphDef;
using ::tensorflow::NodeDef;
using ::tensorflow::Tensor;

// How tables are initialised where a graph has no operation that does all.
constexpr char kTableInitializers[] = "table_initializer";
// Goes before the names of tables and variables, apart from the model's own.
constexpr char kOwnNames[] = "transform/";

std::string ModelFolder(const std::string& folder) {
  return absl::StrCat(folder, "/transform_fn");
}

std::string RawSchemaPath(const std::string& folder) {
  return absl::StrCat(folder, "/metadata/schema.pbtxt");
}

absl::Status CheckFiles(const std::string& folder) {
  for (const std::string& file :
       {absl::StrCat(ModelFolder(folder), "/",
                     tensorflow::kSavedModelFilenamePb),
        TransformedSchemaPath(folder), RawSchemaPath(folder)}) {
    if (std::filesystem::exists(file)) continue;
    return absl::NotFoundError(absl::StrCat(
        "'", folder, "' is not what a Transform component writes: it has no '",
        file.substr(folder.size() + 1), "'"));
  }
  return absl::OkStatus();
}

absl::StatusOr<MetaGraphDef> ReadMetaGraph(const std::string& folder) {
  tensorflow::SavedModel model;
  const absl::Status read = tensorflow::ReadSavedModel(folder, &model);
  if (!read.ok() || model.meta_graphs_size() == 0) {
    return absl::DataLossError(absl::StrCat(
        "the SavedModel in '", folder,
        "' cannot be read: ", read.ok() ? "it has no graph" : read.message()));
  }
  return std::move(*model.mutable_meta_graphs(0));
}

absl::StatusOr<std::vector<TransformAsset>> ReadAssets(
    const MetaGraphDef& meta, const std::string& folder) {
  std::vector<tensorflow::AssetFileDef> defs;
  RK_RETURN_IF_ERROR(tensorflow::internal::GetAssetFileDefs(meta, &defs));
  std::vector<TransformAsset> assets;
  for (const tensorflow::AssetFileDef& def : defs) {
    assets.push_back({.tensor = def.tensor_info().name(),
                      .file = absl::StrCat(
                          folder, "/", tensorflow::kSavedModelAssetsDirectory,
                          "/", def.filename())});
    if (std::filesystem::exists(assets.back().file)) continue;
    return absl::NotFoundError(absl::StrCat(
        "the transform graph's file '", assets.back().file, "' is not there"));
  }
  return assets;
}

absl::StatusOr<std::vector<std::string>> ReadInitializers(
    const MetaGraphDef& meta, const std::string& folder) {
  std::string all;
  RK_RETURN_IF_ERROR(tensorflow::internal::GetInitOp(folder, meta, &all));
  if (!all.empty()) return std::vector<std::string>{NodeOf(all)};
  const auto found = meta.collection_def().find(kTableInitializers);
  std::vector<std::string> nodes;
  if (found == meta.collection_def().end()) return nodes;
  for (const std::string& node : found->second.node_list().value()) {
    nodes.push_back(NodeOf(node));
  }
  return nodes;
}

// The variables that the SavedModel keeps the values of.
absl::StatusOr<std::vector<std::string>> SavedVariableNodes(
    const MetaGraphDef& meta) {
  std::vector<std::string> nodes;
  const std::string& restore = meta.saver_def().restore_op_name();
  if (restore.empty()) return nodes;
  const GraphDef restoring = PartBehind(meta.graph_def(), {NodeOf(restore)});
  for (const NodeDef& node : restoring.node()) {
    if (node.op() == "VarHandleOp") nodes.push_back(node.name());
    if (node.op() != "VariableV2" && node.op() != "Variable") continue;
    return absl::UnimplementedError(absl::StrCat(
        "the transform graph's variable '", node.name(),
        "' is of TensorFlow 1's old kind; make it with use_resource=True"));
  }
  return nodes;
}

// Nodes that read variables, to be added to a session.
GraphDef ReadingNodes(const GraphDef& graph,
                      const std::vector<std::string>& variables) {
  GraphDef reads;
  *reads.mutable_versions() = graph.versions();
  for (const NodeDef& node : graph.node()) {
    for (size_t i = 0; i < variables.size(); ++i) {
      if (node.name() != variables[i]) continue;
      NodeDef* read = reads.add_node();
      read->set_name(absl::StrCat("rekindle_read_", i));
      read->set_op("ReadVariableOp");
      read->add_input(node.name());
      (*read->mutable_attr())["dtype"] = node.attr().at("dtype");
    }
  }
  return reads;
}

absl::Status DoesNotLoad(const std::string& folder,
                         const absl::Status& status) {
  return absl::DataLossError(absl::StrCat(
      "the SavedModel in '", folder, "' does not load: ", status.message()));
}

absl::StatusOr<NamedTensors> ReadVariables(const MetaGraphDef& meta,
                                           const std::string& folder) {
  NamedTensors values;
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> nodes,
                      SavedVariableNodes(meta));
  if (nodes.empty()) return values;
  const auto& tags = meta.meta_info_def().tags();
  tensorflow::SavedModelBundle loaded;
  tensorflow::SessionOptions options;  // of a session that can be added to
  options.config.mutable_experimental()->set_disable_optimize_for_static_graph(
      true);
  absl::Status done = tensorflow::LoadSavedModel(
      options, {}, folder, {tags.begin(), tags.end()}, &loaded);
  if (!done.ok()) return DoesNotLoad(folder, done);
  done = loaded.session->Extend(ReadingNodes(meta.graph_def(), nodes));
  if (!done.ok()) return DoesNotLoad(folder, done);
  std::vector<std::string> fetches;
  for (size_t i = 0; i < nodes.size(); ++i) {
    fetches.push_back(absl::StrCat("rekindle_read_", i));
  }
  std::vector<Tensor> fetched;
  done = loaded.session->Run({}, fetches, {}, &fetched);
  if (!done.ok()) return DoesNotLoad(folder, done);
  for (size_t i = 0; i < nodes.size(); ++i) {
    values[nodes[i]] = std::move(fetched[i]);
  }
  return values;
}

// Two resources of a session with one name are one; these are not the model's.
void KeepNamesApart(GraphDef* graph) {
  for (NodeDef& node : *graph->mutable_node()) {
    const auto found = node.mutable_attr()->find("shared_name");
    if (found == node.mutable_attr()->end() || found->second.s().empty()) {
      continue;
    }
    found->second.set_s(absl::StrCat(kOwnNames, found->second.s()));
  }
}

absl::Status CheckInputs(const TransformTensors& inputs,
                         const std::string& schema_path) {
  RK_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(schema_path));
  RK_ASSIGN_OR_RETURN(const auto schema, ParseSchema(text, schema_path));
  std::set<std::string> known;
  for (const auto& feature : schema.feature()) known.insert(feature.name());
  for (const auto& [feature, tensor] : inputs) {
    if (known.contains(feature)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the transform graph takes the raw feature '", feature,
                     "', which schema '", schema_path,
                     "' has not; it has: ", absl::StrJoin(known, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace

std::string TransformedSchemaPath(const std::string& folder) {
  return absl::StrCat(folder, "/transformed_metadata/schema.pbtxt");
}

std::set<std::string> TransformGraph::InputsOf(
    const std::set<std::string>& features) const {
  GraphTrace trace(graph);
  std::set<std::string> sources;
  for (const std::string& feature : features) {
    const TransformTensor& output = outputs.at(feature);
    sources.merge(trace.SourcesOf(output.values));
    if (!output.is_sparse()) continue;
    sources.merge(trace.SourcesOf(output.indices));
    sources.merge(trace.SourcesOf(output.dense_shape));
  }
  std::set<std::string> needed;
  for (const auto& [feature, input] : inputs) {
    for (const auto* tensor :
         {&input.values, &input.indices, &input.dense_shape}) {
      if (sources.contains(NodeOf(*tensor))) needed.insert(feature);
    }
  }
  return needed;
}

absl::StatusOr<TransformGraph> ReadTransformGraph(const std::string& folder) {
  RK_RETURN_IF_ERROR(CheckFiles(folder));
  const std::string model = ModelFolder(folder);
  RK_ASSIGN_OR_RETURN(MetaGraphDef meta, ReadMetaGraph(model));
  absl::StatusOr<TransformSignature> signature = ReadTransformSignature(meta);
  if (!signature.ok()) {
    return absl::Status(signature.status().code(),
                        absl::StrCat("the SavedModel in '", model,
                                     "': ", signature.status().message()));
  }
  RK_RETURN_IF_ERROR(CheckInputs(signature->inputs, RawSchemaPath(folder)));
  TransformGraph transform{.folder = folder,
                           .graph = {},
                           .inputs = std::move(signature->inputs),
                           .outputs = std::move(signature->outputs),
                           .assets = {},
                           .initializers = {},
                           .variables = {}};
  RK_ASSIGN_OR_RETURN(transform.assets, ReadAssets(meta, model));
  RK_ASSIGN_OR_RETURN(transform.initializers, ReadInitializers(meta, model));
  RK_ASSIGN_OR_RETURN(transform.variables, ReadVariables(meta, model));
  transform.graph = std::move(*meta.mutable_graph_def());
  KeepNamesApart(&transform.graph);
  return transform;
}

}  // namespace rekindle
