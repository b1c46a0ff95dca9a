#include "cli/argo/parameter_flags.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/bounded_read.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "base/yaml_limits.h"
#include "cli/flag_set.h"
#include "operator/submit/submission.h"

namespace rekindle {

void ParameterFlags::Bind(FlagSet& flags) {
  flags.Strings("parameter", "NAME=VALUE", &parameters,
                "an argument of the workflow");
  flags.Letter('p', "parameter");
  flags.String("parameter-file", "FILE", &file,
               "arguments as a YAML or JSON map; --parameter comes first");
  flags.Letter('f', "parameter-file");
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>>
ParameterFlags::Values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string& parameter : parameters) {
    RK_ASSIGN_OR_RETURN(auto parsed, argo::ParseParameter(parameter));
    values.push_back(std::move(parsed));
  }
  if (file.empty()) return values;
  const absl::StatusOr<std::string> text =
      ReadRegularFile(file, kMostYamlBytes);
  if (!text.ok()) return WithContext(text.status(), "--parameter-file");
  RK_RETURN_IF_ERROR(argo::AddParametersOf(*text, file, values));
  return values;
}

}  // namespace rekindle
