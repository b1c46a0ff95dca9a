#include "component/training/flags.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

absl::Status Usage(const std::string& message) {
  return absl::InvalidArgumentError(absl::StrCat(message, "; try --help"));
}

// "--executor-input" is executor_input.
absl::StatusOr<std::string> FlagName(std::string flag) {
  if (!flag.starts_with("--")) {
    return Usage(absl::StrCat("'", flag, "' is not a flag"));
  }
  flag.erase(0, 2);
  std::ranges::replace(flag, '-', '_');
  return flag;
}

}  // namespace

absl::StatusOr<Flags> ParseFlags(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& valued,
                                 const std::vector<std::string>& switches) {
  Flags flags;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const size_t equals = argument.find('=');
    RK_ASSIGN_OR_RETURN(const std::string name,
                        FlagName(argument.substr(0, equals)));
    const bool is_switch = Contains(switches, name);
    if (!is_switch && !Contains(valued, name)) {
      return Usage(absl::StrCat("unknown flag '", argument, "'"));
    }
    std::string value;
    if (equals != std::string::npos) {
      if (is_switch)
        return Usage(absl::StrCat("'--", name, "' takes no value"));
      value = argument.substr(equals + 1);
    } else if (!is_switch) {
      if (++i == arguments.size()) {
        return Usage(absl::StrCat("'--", name, "' needs a value"));
      }
      value = arguments[i];
    }
    if (!flags.emplace(name, value).second) {
      return Usage(absl::StrCat("'--", name, "' is given twice"));
    }
  }
  return flags;
}

}  // namespace rekindle
