#include "component/transform/transform_signature.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tensorflow/core/framework/function.pb.h"
#include "tensorflow/core/protobuf/saved_object_graph.pb.h"
#include "tensorflow/core/protobuf/struct.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::MetaGraphDef;
using ::tensorflow::SignatureDef;
using ::tensorflow::StructuredValue;
using ::tensorflow::TensorInfo;
using ::tensorflow::TypeSpecProto;

// tensorflow_transform's names of its signature and of its function.
constexpr char kOldSignature[] = "transform_signature";
constexpr char kSignature[] = "serving_default";
constexpr char kFunction[] = "transform_fn";
// A SparseTensor's tensors: indices, values, dense_shape.
constexpr int kSparseTensors = 3;

absl::Status NotTransforms(absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("it is not tensorflow_transform's: ", why));
}

absl::Status NeitherDenseNorSparse(const std::string& feature) {
  return absl::UnimplementedError(
      absl::StrCat("feature '", feature,
                   "' of the transform graph is neither dense nor sparse; give "
                   "it to_tensor() or to_sparse() in preprocessing_fn"));
}

absl::StatusOr<TransformTensor> Described(const std::string& feature,
                                          const TensorInfo& info) {
  TransformTensor tensor{
      .type = info.dtype(),
      .shape = tensorflow::PartialTensorShape(info.tensor_shape()),
      .values = info.name(),
      .indices = info.coo_sparse().indices_tensor_name(),
      .dense_shape = info.coo_sparse().dense_shape_tensor_name()};
  if (info.has_coo_sparse())
    tensor.values = info.coo_sparse().values_tensor_name();
  if (tensor.values.empty()) return NeitherDenseNorSparse(feature);
  return tensor;
}

absl::StatusOr<TransformTensors> AllDescribed(
    const google::protobuf::Map<std::string, TensorInfo>& infos) {
  TransformTensors tensors;
  for (const auto& [feature, info] : infos) {
    RK_ASSIGN_OR_RETURN(tensors[feature], Described(feature, info));
  }
  return tensors;
}

// The name of the function among the functions of the graph.
absl::StatusOr<std::string> FunctionName(
    const tensorflow::SavedObjectGraph& objects) {
  if (objects.nodes_size() == 0) return NotTransforms("it has no objects");
  for (const auto& child : objects.nodes(0).children()) {
    if (child.local_name() != kFunction) continue;
    const auto& node = objects.nodes(child.node_id());
    if (node.has_bare_concrete_function()) {
      return node.bare_concrete_function().concrete_function_name();
    }
    if (node.function().concrete_functions_size() == 1) {
      return node.function().concrete_functions(0);
    }
  }
  return NotTransforms(absl::StrCat("it has no function '", kFunction, "'"));
}

// The function's only argument: features by name, in the order of names.
absl::StatusOr<std::map<std::string, StructuredValue>> Argument(
    const tensorflow::SavedConcreteFunction& function) {
  const StructuredValue& all = function.canonicalized_input_signature();
  if (all.tuple_value().values_size() != 0) {
    const StructuredValue& positional = all.tuple_value().values(0);
    if (positional.tuple_value().values_size() == 1 &&
        positional.tuple_value().values(0).has_dict_value()) {
      const auto& fields =
          positional.tuple_value().values(0).dict_value().fields();
      return std::map<std::string, StructuredValue>(fields.begin(),
                                                    fields.end());
    }
  }
  return NotTransforms(
      absl::StrCat("its function '", kFunction, "' does not take features"));
}

// The names of the function's parameters, which are those of the signature.
absl::StatusOr<std::vector<std::string>> Parameters(const MetaGraphDef& meta,
                                                    const std::string& name) {
  for (const auto& function : meta.graph_def().library().function()) {
    if (function.signature().name() != name) continue;
    std::vector<std::string> names;
    for (const auto& argument : function.signature().input_arg()) {
      names.push_back(argument.name());
    }
    return names;
  }
  return NotTransforms(absl::StrCat("it has no function '", name, "'"));
}

// Takes the tensors of one feature after the other from those of the
// signature.
class NumberedInputs {
 public:
  NumberedInputs(const SignatureDef& signature,
                 std::vector<std::string> parameters)
      : signature_(signature), parameters_(std::move(parameters)) {}

  absl::StatusOr<TransformTensor> Take(const std::string& feature,
                                       const StructuredValue& type) {
    if (type.has_tensor_spec_value()) {
      RK_ASSIGN_OR_RETURN(const TensorInfo* values, Next());
      return Described(feature, *values);
    }
    const TypeSpecProto& spec = type.type_spec_value();
    if (spec.type_spec_class() != TypeSpecProto::SPARSE_TENSOR_SPEC ||
        spec.num_flat_components() != kSparseTensors) {
      return NeitherDenseNorSparse(feature);
    }
    RK_ASSIGN_OR_RETURN(const TensorInfo* indices, Next());
    RK_ASSIGN_OR_RETURN(const TensorInfo* values, Next());
    RK_ASSIGN_OR_RETURN(const TensorInfo* dense_shape, Next());
    return TransformTensor{.type = values->dtype(),
                           .shape = {},
                           .values = values->name(),
                           .indices = indices->name(),
                           .dense_shape = dense_shape->name()};
  }

 private:
  absl::StatusOr<const TensorInfo*> Next() {
    if (next_ < parameters_.size()) {
      const auto found = signature_.inputs().find(parameters_[next_++]);
      if (found != signature_.inputs().end()) return &found->second;
    }
    return NotTransforms(absl::StrCat("its signature '", kSignature,
                                      "' lacks inputs of its function '",
                                      kFunction, "'"));
  }

  const SignatureDef& signature_;
  const std::vector<std::string> parameters_;
  size_t next_ = 0;
};

absl::StatusOr<TransformTensors> InputsByFunction(
    const MetaGraphDef& meta, const SignatureDef& signature) {
  RK_ASSIGN_OR_RETURN(const std::string name,
                      FunctionName(meta.object_graph_def()));
  const auto& functions = meta.object_graph_def().concrete_functions();
  const auto found = functions.find(name);
  if (found == functions.end()) {
    return NotTransforms(absl::StrCat("it does not describe '", name, "'"));
  }
  RK_ASSIGN_OR_RETURN(const auto features, Argument(found->second));
  RK_ASSIGN_OR_RETURN(std::vector<std::string> parameters,
                      Parameters(meta, name));
  NumberedInputs numbered(signature, std::move(parameters));
  TransformTensors inputs;
  for (const auto& [feature, type] : features) {
    RK_ASSIGN_OR_RETURN(inputs[feature], numbered.Take(feature, type));
  }
  return inputs;
}

}  // namespace

absl::StatusOr<TransformSignature> ReadTransformSignature(
    const MetaGraphDef& meta) {
  const auto& signatures = meta.signature_def();
  TransformSignature read;
  if (const auto old = signatures.find(kOldSignature);
      old != signatures.end()) {
    RK_ASSIGN_OR_RETURN(read.inputs, AllDescribed(old->second.inputs()));
    RK_ASSIGN_OR_RETURN(read.outputs, AllDescribed(old->second.outputs()));
    return read;
  }
  const auto found = signatures.find(kSignature);
  if (found == signatures.end()) {
    return NotTransforms(absl::StrCat("it has neither the signature '",
                                      kOldSignature, "' nor '", kSignature,
                                      "'"));
  }
  RK_ASSIGN_OR_RETURN(read.inputs, InputsByFunction(meta, found->second));
  RK_ASSIGN_OR_RETURN(read.outputs, AllDescribed(found->second.outputs()));
  return read;
}

}  // namespace rekindle
