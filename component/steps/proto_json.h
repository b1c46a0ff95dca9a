#ifndef REKINDLE_COMPONENT_STEPS_PROTO_JSON_H_
#define REKINDLE_COMPONENT_STEPS_PROTO_JSON_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// A message as TFX stores it in a property: JSON with the proto's own field
// names, sorted, indented by two spaces.
std::string ToIndentedJson(const google::protobuf::Message& message);

// Reads JSON into `message`.
//
//   INVALID_ARGUMENT  not JSON, an unknown field, or a wrong type; the message
//                     begins with `name`
absl::Status FromJson(absl::string_view name, const std::string& json,
                      google::protobuf::Message& message);

// As Python's json.dumps writes it, which is how TFX stores values that are not
// messages: `{"a": ["b", 1]}`, keys sorted, ASCII only.
std::string ToPythonJson(const nlohmann::json& value);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_PROTO_JSON_H_
