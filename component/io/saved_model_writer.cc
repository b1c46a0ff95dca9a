#include "component/io/saved_model_writer.h"

#include <cstring>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "component/io/durable_file.h"
#include "component/io/string_tensor.h"
#include "component/io/tensor_bundle.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/io_ops.h"
#include "tensorflow/cc/ops/no_op.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/cc/saved_model/constants.h"
#include "tensorflow/core/framework/variable.pb.h"
#include "tensorflow/core/lib/strings/proto_serialization.h"
#include "tensorflow/core/protobuf/meta_graph.pb.h"
#include "tensorflow/core/protobuf/saved_model.pb.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::MetaGraphDef;
using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using ::tensorflow::TensorInfo;

std::string FileName(const AssetFile& asset) {
  return std::filesystem::path(asset.file).filename();
}

// Adds the nodes that save and restore every variable, and describes them.
class SaverNodes {
 public:
  explicit SaverNodes(const SavedModelContents& contents)
      : scope_(contents.scope.NewSubScope("save")) {
    for (const auto& [name, variable] : contents.variables) {
      names_.push_back(name);
      handles_.push_back(variable.handle);
      types_.push_back(variable.value.dtype());
    }
  }

  void AddTo(tensorflow::SaverDef* saver) {
    const Output filename =
        ops::Placeholder(scope_.WithOpName("filename"), tensorflow::DT_STRING,
                         ops::Placeholder::Shape(tensorflow::TensorShape({})));
    saver->set_filename_tensor_name(filename.name());
    saver->set_save_tensor_name(AddSave(filename).name());
    saver->set_restore_op_name(AddRestore(filename));
    saver->set_version(tensorflow::SaverDef::V2);
  }

 private:
  Output Names() const { return ops::Const(scope_, StringTensor(names_)); }

  // Empty slice specifications: tensors are saved whole.
  Output Slices() const {
    return ops::Const(scope_,
                      StringTensor(std::vector<std::string>(names_.size())));
  }

  Output AddSave(const Output& filename) {
    std::vector<Output> values;
    for (size_t i = 0; i < names_.size(); ++i) {
      values.push_back(ops::ReadVariableOp(scope_, handles_[i], types_[i]));
    }
    const ops::SaveV2 save(scope_, filename, Names(), Slices(), values);
    return ops::Identity(scope_.WithOpName("control_dependency")
                             .WithControlDependencies({save.operation}),
                         filename);
  }

  std::string AddRestore(const Output& filename) {
    const ops::RestoreV2 restore(scope_, filename, Names(), Slices(), types_);
    std::vector<tensorflow::Operation> assigned;
    for (size_t i = 0; i < names_.size(); ++i) {
      assigned.push_back(
          ops::AssignVariableOp(scope_, handles_[i], restore.tensors[i]));
    }
    const ops::NoOp all(
        scope_.WithOpName("restore_all").WithControlDependencies(assigned));
    return all.operation.node()->name();
  }

  const Scope scope_;
  std::vector<std::string> names_;
  std::vector<Output> handles_;
  std::vector<tensorflow::DataType> types_;
};

// Zeros, or empty strings.
Tensor ZerosLike(const Tensor& value) {
  Tensor zeros(value.dtype(), value.shape());
  if (tensorflow::DataTypeCanUseMemcpy(zeros.dtype())) {
    std::memset(zeros.data(), 0, zeros.TotalBytes());
  }
  return zeros;
}

// Describes a variable as Python's loader wants it: with an initializer and a
// value, though the saver is what fills it.
tensorflow::VariableDef DescribeVariable(const Scope& scope,
                                         const ModelVariable& variable) {
  const Output initial =
      ops::Const(scope.WithOpName("initial"),
                 tensorflow::Input::Initializer(ZerosLike(variable.value)));
  const ops::AssignVariableOp assign(scope.WithOpName("assign"),
                                     variable.handle, initial);
  const Output read = ops::ReadVariableOp(
      scope.WithOpName("snapshot"), variable.handle, variable.value.dtype());
  tensorflow::VariableDef description;
  description.set_variable_name(variable.handle.name());
  description.set_initial_value_name(initial.name());
  description.set_initializer_name(assign.operation.node()->name());
  description.set_snapshot_name(read.name());
  description.set_is_resource(true);
  description.set_trainable(variable.trainable);
  return description;
}

void AddVariables(const SavedModelContents& contents, MetaGraphDef* meta) {
  auto& collections = *meta->mutable_collection_def();
  for (const auto& [name, variable] : contents.variables) {
    const std::string encoded =
        DescribeVariable(contents.scope.NewSubScope(name), variable)
            .SerializeAsString();
    collections["variables"].mutable_bytes_list()->add_value(encoded);
    if (!variable.trainable) continue;
    collections["trainable_variables"].mutable_bytes_list()->add_value(encoded);
  }
}

NamedTensors Values(const SavedModelContents& contents) {
  NamedTensors values;
  for (const auto& [name, variable] : contents.variables) {
    values[name] = variable.value;
  }
  return values;
}

void DescribeTensors(const std::map<std::string, SignatureTensor>& tensors,
                     google::protobuf::Map<std::string, TensorInfo>* infos) {
  for (const auto& [key, tensor] : tensors) {
    TensorInfo& info = (*infos)[key];
    info.set_name(tensor.output.name());
    info.set_dtype(tensor.output.type());
    tensor.shape.AsProto(info.mutable_tensor_shape());
  }
}

void AddSignatures(const SavedModelContents& contents, MetaGraphDef* meta) {
  for (const auto& [name, signature] : contents.signatures) {
    auto& def = (*meta->mutable_signature_def())[name];
    def.set_method_name(signature.method_name);
    DescribeTensors(signature.inputs, def.mutable_inputs());
    DescribeTensors(signature.outputs, def.mutable_outputs());
  }
}

// Names the assets' files as the tensor that each is for wants them, where
// newer readers look and where older ones do.
void AddAssets(const SavedModelContents& contents, MetaGraphDef* meta) {
  for (const AssetFile& asset : contents.assets) {
    tensorflow::AssetFileDef& def = *meta->add_asset_file_def();
    def.mutable_tensor_info()->set_name(asset.path.name());
    def.set_filename(FileName(asset));
    (*meta->mutable_collection_def())[tensorflow::kSavedModelAssetsKey]
        .mutable_any_list()
        ->add_value()
        ->PackFrom(def);
  }
}

// One operation that runs all of them, named where loaders of all versions
// look.
void AddInitializers(const SavedModelContents& contents, MetaGraphDef* meta) {
  if (contents.initializers.empty()) return;
  const ops::NoOp all(contents.scope.WithOpName("initialize")
                          .WithControlDependencies(contents.initializers));
  if (!contents.scope.ok()) return;
  (*meta->mutable_collection_def())[tensorflow::kSavedModelMainOpKey]
      .mutable_node_list()
      ->add_value(all.operation.node()->name());
}

absl::Status FillMetaGraph(const SavedModelContents& contents,
                           MetaGraphDef* meta) {
  RK_RETURN_IF_ERROR(contents.scope.status());
  meta->mutable_meta_info_def()->add_tags("serve");
  meta->mutable_meta_info_def()->set_tensorflow_version(TF_Version());
  SaverNodes(contents).AddTo(meta->mutable_saver_def());
  AddVariables(contents, meta);
  AddAssets(contents, meta);
  AddInitializers(contents, meta);
  RK_RETURN_IF_ERROR(contents.scope.status());
  AddSignatures(contents, meta);
  return contents.scope.ToGraphDef(meta->mutable_graph_def());
}

absl::Status CopyAssets(const std::vector<AssetFile>& assets,
                        const std::string& folder) {
  if (assets.empty()) return absl::OkStatus();
  const std::string below =
      absl::StrCat(folder, "/", tensorflow::kSavedModelAssetsDirectory);
  RK_RETURN_IF_ERROR(MakeFolder(below));
  std::map<std::string, std::string> copied;  // by name
  for (const AssetFile& asset : assets) {
    const auto [first, added] = copied.emplace(FileName(asset), asset.file);
    if (!added && first->second != asset.file) {
      return absl::InvalidArgumentError(absl::StrCat(
          "two files for the SavedModel's assets are called '", first->first,
          "': '", first->second, "' and '", asset.file, "'"));
    }
    RK_ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(asset.file));
    RK_RETURN_IF_ERROR(
        ReplaceFile(absl::StrCat(below, "/", FileName(asset)), bytes));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteSavedModel(const SavedModelContents& contents,
                             const std::string& folder) {
  tensorflow::SavedModel model;
  model.set_saved_model_schema_version(tensorflow::kSavedModelSchemaVersion);
  const absl::Status filled = FillMetaGraph(contents, model.add_meta_graphs());
  if (!filled.ok()) {
    return absl::InternalError(
        absl::StrCat("the serving graph is not valid: ", filled.message()));
  }
  const std::string variables =
      absl::StrCat(folder, "/", tensorflow::kSavedModelVariablesDirectory);
  RK_RETURN_IF_ERROR(MakeFolder(variables));
  RK_RETURN_IF_ERROR(WriteTensors(
      Values(contents),
      absl::StrCat(variables, "/", tensorflow::kSavedModelVariablesFilename)));
  RK_RETURN_IF_ERROR(CopyAssets(contents.assets, folder));
  // Of one training there is one model, byte for byte: the order of maps is
  // otherwise another in each process.
  std::string bytes;
  if (!tensorflow::SerializeToStringDeterministic(model, &bytes)) {
    return absl::InternalError("the serving graph is too large to be written");
  }
  return ReplaceFile(
      absl::StrCat(folder, "/", tensorflow::kSavedModelFilenamePb), bytes);
}

}  // namespace rekindle
