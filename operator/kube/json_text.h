#ifndef REKINDLE_OPERATOR_KUBE_JSON_TEXT_H_
#define REKINDLE_OPERATOR_KUBE_JSON_TEXT_H_

#include <string>

#include "nlohmann/json.hpp"

namespace rekindle::argo {

// The text at a JSON pointer, "/metadata/name"; empty if there is none. "~1" in
// a pointer is a slash.
inline std::string TextAt(const nlohmann::json& object, const char* pointer) {
  const nlohmann::json::json_pointer at(pointer);
  if (!object.is_structured() || !object.contains(at)) return "";
  const nlohmann::json& value = object[at];
  return value.is_string() ? value.get<std::string>() : "";
}

// The object at a JSON pointer; an empty one if there is none.
inline nlohmann::json ObjectAt(const nlohmann::json& object,
                               const char* pointer) {
  const nlohmann::json::json_pointer at(pointer);
  if (!object.is_structured() || !object.contains(at)) {
    return nlohmann::json::object();
  }
  const nlohmann::json& value = object[at];
  return value.is_object() ? value : nlohmann::json::object();
}

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_JSON_TEXT_H_
