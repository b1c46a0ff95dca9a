#include "component/io/variable_axes.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "component/io/durable_file.h"
#include "nlohmann/json.hpp"
#include "tensorflow/cc/saved_model/constants.h"

namespace rekindle {
namespace {

std::string FolderOf(const std::string& saved_model) {
  return absl::StrCat(saved_model, "/",
                      tensorflow::kSavedModelAssetsExtraDirectory);
}

std::string PathOf(const std::string& saved_model) {
  return absl::StrCat(FolderOf(saved_model), "/rekindle_variables.json");
}

}  // namespace

absl::Status WriteVariableAxes(const VariableAxes& axes,
                               const std::string& saved_model) {
  const nlohmann::json json = {{"axes", axes.axes},
                               {"variables", axes.variables}};
  RK_RETURN_IF_ERROR(MakeFolder(FolderOf(saved_model)));
  return ReplaceFile(PathOf(saved_model),
                     json.dump(2, ' ', /*ensure_ascii=*/false,
                               nlohmann::json::error_handler_t::replace));
}

absl::StatusOr<VariableAxes> ReadVariableAxes(const std::string& saved_model) {
  const absl::StatusOr<std::string> text = ReadWholeFile(PathOf(saved_model));
  if (absl::IsNotFound(text.status())) return VariableAxes();
  RK_RETURN_IF_ERROR(text.status());
  try {
    const nlohmann::json json = nlohmann::json::parse(*text);
    VariableAxes axes;
    json.at("axes").get_to(axes.axes);
    json.at("variables").get_to(axes.variables);
    return axes;
  } catch (const nlohmann::json::exception& e) {
    return absl::DataLossError(
        absl::StrCat("'", PathOf(saved_model), "' is damaged: ", e.what()));
  }
}

}  // namespace rekindle
