#include "cli/node_json.h"

#include <string>

#include "google/protobuf/message.h"
#include "google/protobuf/util/json_util.h"
#include "metadata/api/node_traits.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using nlohmann::json;

// By protobuf's own JSON mapping, for what has no plain form.
json MessageToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!MessageToJsonString(message, &text, options).ok()) return nullptr;
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// What all kinds of nodes have.
template <typename Node>
json CommonToJson(const Node& node) {
  json result = {
      {"id", node.id()},
      {"type", node.type()},
      {"properties", PropertiesToJson(node.properties())},
      {"custom_properties", PropertiesToJson(node.custom_properties())},
      {"create_time_since_epoch", node.create_time_since_epoch()},
      {"last_update_time_since_epoch", node.last_update_time_since_epoch()}};
  if (node.has_name()) result["name"] = node.name();
  if (node.has_external_id()) result["external_id"] = node.external_id();
  return result;
}

// What all kinds of types have.
template <typename Type>
json TypeToJson(const Type& type) {
  json result = {{"id", type.id()},
                 {"kind", std::string(NodeTraits<Type>::kNoun)},
                 {"name", type.name()},
                 {"properties", json::object()}};
  for (const auto& [name, kind] : type.properties()) {
    result["properties"][name] = ml_metadata::PropertyType_Name(kind);
  }
  if (type.has_version()) result["version"] = type.version();
  if (type.has_description()) result["description"] = type.description();
  if (type.has_external_id()) result["external_id"] = type.external_id();
  if (type.has_base_type()) {
    result["base_type"] = Type::SystemDefinedBaseType_Name(type.base_type());
  }
  return result;
}

}  // namespace

json ToJson(const ml_metadata::Value& value) {
  switch (value.value_case()) {
    case ml_metadata::Value::kIntValue:
      return value.int_value();
    case ml_metadata::Value::kDoubleValue:
      return value.double_value();
    case ml_metadata::Value::kStringValue:
      return value.string_value();
    case ml_metadata::Value::kBoolValue:
      return value.bool_value();
    case ml_metadata::Value::kStructValue:
      return MessageToJson(value.struct_value());
    case ml_metadata::Value::kProtoValue:
      return MessageToJson(value.proto_value());
    case ml_metadata::Value::VALUE_NOT_SET:
      return nullptr;
  }
  return nullptr;
}

json ToJson(const ml_metadata::Artifact& artifact) {
  json result = CommonToJson(artifact);
  result["uri"] = artifact.uri();
  result["state"] = ml_metadata::Artifact::State_Name(artifact.state());
  return result;
}

json ToJson(const ml_metadata::Execution& execution) {
  json result = CommonToJson(execution);
  result["last_known_state"] =
      ml_metadata::Execution::State_Name(execution.last_known_state());
  return result;
}

json ToJson(const ml_metadata::Context& context) {
  return CommonToJson(context);
}

json ToJson(const ml_metadata::Event& event) {
  json path = json::array();
  for (const ml_metadata::Event::Path::Step& step : event.path().steps()) {
    if (step.has_index()) {
      path.push_back(step.index());
    } else {
      path.push_back(step.key());
    }
  }
  return {{"artifact_id", event.artifact_id()},
          {"execution_id", event.execution_id()},
          {"type", ml_metadata::Event::Type_Name(event.type())},
          {"path", path},
          {"milliseconds_since_epoch", event.milliseconds_since_epoch()}};
}

json ToJson(const ml_metadata::ArtifactType& type) { return TypeToJson(type); }

json ToJson(const ml_metadata::ExecutionType& type) {
  json result = TypeToJson(type);
  if (type.has_input_type()) {
    result["input_type"] = MessageToJson(type.input_type());
  }
  if (type.has_output_type()) {
    result["output_type"] = MessageToJson(type.output_type());
  }
  return result;
}

json ToJson(const ml_metadata::ContextType& type) { return TypeToJson(type); }

}  // namespace rekindle
