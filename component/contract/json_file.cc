#include "component/contract/json_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"

namespace rekindle {

absl::StatusOr<nlohmann::json> ReadJsonFile(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is not JSON: ", e.what()));
  }
}

absl::Status WriteJsonFile(const nlohmann::json& json,
                           const std::string& path) {
  return ReplaceFile(
      path, absl::StrCat(json.dump(2, ' ', false,
                                   nlohmann::json::error_handler_t::replace),
                         "\n"));
}

}  // namespace rekindle
