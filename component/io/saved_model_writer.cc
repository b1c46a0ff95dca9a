#include "component/io/saved_model_writer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/io/durable_file.h"
#include "component/io/string_tensor.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/io_ops.h"
#include "tensorflow/cc/ops/no_op.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/cc/saved_model/constants.h"
#include "tensorflow/core/framework/variable.pb.h"
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
using ::tensorflow::TensorShape;

// Adds the nodes that save and restore every variable, and describes them.
class SaverNodes {
 public:
  SaverNodes(const Scope& scope, const SavedModelContents& contents)
      : scope_(scope.NewSubScope("save")), contents_(contents) {
    for (const auto& [name, value] : contents.variable_values) {
      names_.push_back(name);
      types_.push_back(value.dtype());
    }
  }

  void AddTo(tensorflow::SaverDef* saver) {
    const Output filename =
        ops::Placeholder(scope_.WithOpName("filename"), tensorflow::DT_STRING,
                         ops::Placeholder::Shape(TensorShape({})));
    saver->set_filename_tensor_name(filename.name());
    saver->set_save_tensor_name(AddSave(filename).name());
    saver->set_restore_op_name(AddRestore(filename));
    saver->set_version(tensorflow::SaverDef::V2);
  }

 private:
  Output NamesTensor(const Scope& scope) const {
    return ops::Const(scope, StringTensor(names_));
  }

  // Empty slice specifications: tensors are saved whole.
  Output SlicesTensor(const Scope& scope) const {
    return ops::Const(scope,
                      StringTensor(std::vector<std::string>(names_.size())));
  }

  Output AddSave(const Output& filename) {
    std::vector<Output> values;
    for (size_t i = 0; i < names_.size(); ++i) {
      values.push_back(ops::ReadVariableOp(
          scope_, contents_.variable_handles.at(names_[i]), types_[i]));
    }
    const ops::SaveV2 save(scope_, filename, NamesTensor(scope_),
                           SlicesTensor(scope_), values);
    return ops::Identity(scope_.WithOpName("control_dependency")
                             .WithControlDependencies({save.operation}),
                         filename);
  }

  std::string AddRestore(const Output& filename) {
    const ops::RestoreV2 restore(scope_, filename, NamesTensor(scope_),
                                 SlicesTensor(scope_), types_);
    std::vector<tensorflow::Operation> assigned;
    for (size_t i = 0; i < names_.size(); ++i) {
      assigned.push_back(ops::AssignVariableOp(
          scope_, contents_.variable_handles.at(names_[i]),
          restore.tensors[i]));
    }
    const ops::NoOp all(
        scope_.WithOpName("restore_all").WithControlDependencies(assigned));
    return all.operation.node()->name();
  }

  Scope scope_;
  const SavedModelContents& contents_;
  std::vector<std::string> names_;
  std::vector<tensorflow::DataType> types_;
};

// Describes a variable as Python's loader wants it: with an initializer and a
// value, though the saver is what fills it.
tensorflow::VariableDef DescribeVariable(const Scope& scope,
                                         const std::string& name,
                                         const Output& handle,
                                         const Tensor& value) {
  Tensor zeros(value.dtype(), value.shape());
  zeros.flat<float>().setZero();
  const Scope below = scope.NewSubScope(name);
  const Output initial = ops::Const(below.WithOpName("initial"),
                                    tensorflow::Input::Initializer(zeros));
  const ops::AssignVariableOp assign(below.WithOpName("assign"), handle,
                                     initial);
  const Output read =
      ops::ReadVariableOp(below.WithOpName("snapshot"), handle, value.dtype());
  tensorflow::VariableDef variable;
  variable.set_variable_name(handle.name());
  variable.set_initial_value_name(initial.name());
  variable.set_initializer_name(assign.operation.node()->name());
  variable.set_snapshot_name(read.name());
  variable.set_is_resource(true);
  variable.set_trainable(true);
  return variable;
}

void AddVariables(const SavedModelContents& contents, MetaGraphDef* meta) {
  auto& collections = *meta->mutable_collection_def();
  for (const auto& [name, handle] : contents.variable_handles) {
    const std::string encoded =
        DescribeVariable(contents.scope, name, handle,
                         contents.variable_values.at(name))
            .SerializeAsString();
    for (const char* collection : {"variables", "trainable_variables"}) {
      collections[collection].mutable_bytes_list()->add_value(encoded);
    }
  }
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

absl::Status FillMetaGraph(const SavedModelContents& contents,
                           MetaGraphDef* meta) {
  meta->mutable_meta_info_def()->add_tags("serve");
  meta->mutable_meta_info_def()->set_tensorflow_version(TF_Version());
  SaverNodes(contents.scope, contents).AddTo(meta->mutable_saver_def());
  AddVariables(contents, meta);
  RK_RETURN_IF_ERROR(contents.scope.status());
  AddSignatures(contents, meta);
  return contents.scope.ToGraphDef(meta->mutable_graph_def());
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
      contents.variable_values,
      absl::StrCat(variables, "/", tensorflow::kSavedModelVariablesFilename)));
  return WriteFileAtomically(
      absl::StrCat(folder, "/", tensorflow::kSavedModelFilenamePb),
      model.SerializeAsString());
}

}  // namespace rekindle
