#include "component/steps/proto_json.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

namespace pb = google::protobuf;

constexpr int kIndent = 2;

std::string DumpAscii(const nlohmann::json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true,
                    nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string ToIndentedJson(const pb::Message& message) {
  pb::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string compact;
  // Printing a message of ours cannot fail: it has no Any.
  (void)pb::util::MessageToJsonString(message, &compact, options);
  return nlohmann::json::parse(compact).dump(kIndent);
}

absl::Status FromJson(absl::string_view name, const std::string& json,
                      pb::Message& message) {
  const pb::util::Status parsed = pb::util::JsonStringToMessage(json, &message);
  if (parsed.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": '", json, "' is not a ", message.GetDescriptor()->name(),
      " in JSON: ", std::string(parsed.message())));
}

std::string ToPythonJson(const nlohmann::json& value) {
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const nlohmann::json& element : value) {
      parts.push_back(ToPythonJson(element));
    }
    return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
  }
  if (value.is_object()) {
    for (const auto& [name, field] : value.items()) {
      parts.push_back(absl::StrCat(DumpAscii(name), ": ", ToPythonJson(field)));
    }
    return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
  }
  return DumpAscii(value);
}

}  // namespace rekindle
