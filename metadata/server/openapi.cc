#include "metadata/server/openapi.h"

#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "absl/strings/str_cat.h"
#include "metadata/server/method_table.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::FieldDescriptor;
using Json = ::nlohmann::ordered_json;

Json RefTo(const std::string& schema) {
  return {{"$ref", absl::StrCat("#/components/schemas/", schema)}};
}

Json JsonContent(Json schema) {
  return {{"application/json", {{"schema", std::move(schema)}}}};
}

// The schemas of the messages and enums that were asked for, by name.
class Schemas {
 public:
  // A reference to the schema of `message`, which is added if need be.
  Json Of(const Descriptor& message) {
    if (!schemas_.contains(message.full_name())) {
      // First its name: a message may hold itself.
      schemas_[message.full_name()] = Json::object();
      schemas_[message.full_name()] = MakeSchema(message);
    }
    return RefTo(message.full_name());
  }

  void Add(const std::string& name, Json schema) {
    schemas_[name] = std::move(schema);
  }

  Json Take() { return std::move(schemas_); }

 private:
  // json_codec.h says which messages are not mapped field by field.
  Json MakeSchema(const Descriptor& message) {
    const std::string& name = message.full_name();
    if (name == "google.protobuf.Struct") {
      return {{"type", "object"}, {"additionalProperties", true}};
    }
    if (name == "google.protobuf.Any") {
      return {{"type", "object"},
              {"properties",
               {{"@type", {{"type", "string"}}},
                {"value", {{"type", "string"}, {"format", "byte"}}}}}};
    }
    Json fields = Json::object();
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      fields[field.json_name()] = OfField(field);
    }
    return {{"type", "object"}, {"properties", std::move(fields)}};
  }

  Json OfField(const FieldDescriptor& field) {
    if (field.is_map()) {
      return {{"type", "object"},
              {"additionalProperties",
               OfElement(*field.message_type()->map_value())}};
    }
    if (field.is_repeated()) {
      return {{"type", "array"}, {"items", OfElement(field)}};
    }
    Json schema = OfElement(field);
    // Beside a $ref nothing else is read.
    if (field.options().deprecated() && !schema.contains("$ref")) {
      schema["deprecated"] = true;
    }
    return schema;
  }

  Json OfElement(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_UINT32:
        return {{"type", "integer"}, {"format", "int32"}};
      // As text: a number of JSON is a double for many.
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT64:
        return {{"type", "string"}, {"format", "int64"}};
      case FieldDescriptor::CPPTYPE_FLOAT:
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return {{"type", "number"}, {"format", "double"}};
      case FieldDescriptor::CPPTYPE_STRING:
        return field.type() == FieldDescriptor::TYPE_BYTES
                   ? Json{{"type", "string"}, {"format", "byte"}}
                   : Json{{"type", "string"}};
      case FieldDescriptor::CPPTYPE_ENUM:
        return OfEnum(*field.enum_type());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Of(*field.message_type());
    }
    return Json::object();
  }

  Json OfEnum(const EnumDescriptor& type) {
    Json names = Json::array();
    for (int i = 0; i < type.value_count(); ++i) {
      names.push_back(type.value(i)->name());
    }
    Add(type.full_name(), {{"type", "string"}, {"enum", std::move(names)}});
    return RefTo(type.full_name());
  }

  Json schemas_ = Json::object();
};

Json ErrorSchema() {
  return {{"type", "object"},
          {"required", {"code", "status", "message"}},
          {"properties",
           {{"code", {{"type", "integer"}, {"description", "google.rpc.Code"}}},
            {"status", {{"type", "string"}, {"example", "NOT_FOUND"}}},
            {"message", {{"type", "string"}}}}}};
}

Json Operation(const Method& method, Schemas& schemas) {
  Json operation;
  operation["operationId"] = method.name();
  operation["tags"] = Json::array({method.descriptor->service()->full_name()});
  operation["requestBody"] = {
      {"required", true},
      {"content", JsonContent(schemas.Of(*method.descriptor->input_type()))}};
  operation["responses"]["200"] = {
      {"description", "what the store answered"},
      {"content", JsonContent(schemas.Of(*method.descriptor->output_type()))}};
  operation["responses"]["default"] = {
      {"description", "why it did not; the HTTP status follows the code"},
      {"content", JsonContent(RefTo("Error"))}};
  return operation;
}

Json TextPage(const std::string& name, const std::string& summary) {
  Json page;
  page["operationId"] = name;
  page["summary"] = summary;
  page["responses"]["200"] = {
      {"description", summary},
      {"content", {{"text/plain", {{"schema", {{"type", "string"}}}}}}}};
  return {{"get", std::move(page)}};
}

}  // namespace

std::string OpenApiDocument(const std::vector<Method>& methods,
                            const std::string& version) {
  Schemas schemas;
  Json document;
  document["openapi"] = "3.0.3";
  document["info"] = {{"title", "Rekindle metadata store"},
                      {"version", version}};
  Json& paths = document["paths"];
  for (const Method& method : methods) {
    paths[absl::StrCat("/api/v1/", method.name())]["post"] =
        Operation(method, schemas);
  }
  paths["/healthz"] = TextPage("healthz", "the process is alive");
  paths["/readyz"] = TextPage("readyz", "the store answers");
  paths["/metrics"] = TextPage("metrics", "Prometheus' text format");
  schemas.Add("Error", ErrorSchema());
  document["components"]["schemas"] = schemas.Take();
  return document.dump(2) + "\n";
}

}  // namespace rekindle
