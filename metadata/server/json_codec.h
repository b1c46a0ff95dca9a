// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_JSON_CODEC_H_
#define REKINDLE_METADATA_SERVER_JSON_CODEC_H_

#include <string>

#include <google/protobuf/message.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rekindle {

// protobuf's JSON mapping, but for two messages, which are written as they are:
//
//   google.protobuf.Any        {"@type": URL, "value": BASE64}, because a PROTO
//                              property may hold a message that this program
//                              has never heard of
//   google.protobuf.FieldMask  {"paths": [...]}, because the mapping turns the
//                              path properties.myKey into properties.my_key

// Reads a message; fields by their JSON or their proto names.
//
//   INVALID_ARGUMENT  not JSON (with line and column), or not such a message
//                     (with the path of the field), or more than
//                     CheckJsonShape() lets through
absl::Status ParseJson(const std::string& json,
                       google::protobuf::Message* message);

// Strings that are not UTF-8, which JSON cannot carry, get U+FFFD in the place
// of what is wrong in them, in `message` too.
absl::StatusOr<std::string> ToJsonText(google::protobuf::Message* message);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_JSON_CODEC_H_
