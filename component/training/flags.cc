#include "component/training/flags.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
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

absl::Status UnknownFlag(const std::string& name, const FlagNames& names) {
  std::vector<std::string> all;
  for (const auto* list : {&names.valued, &names.repeated, &names.switches}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  const std::optional<std::string> nearest = NearestName(name, all);
  return Usage(absl::StrCat(
      "unknown flag '--", name, "'",
      nearest.has_value() ? absl::StrCat(", did you mean '--", *nearest, "'?")
                          : ""));
}

}  // namespace

std::string Flags::Get(const std::string& name,
                       const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second.front();
}

std::vector<std::string> Flags::All(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

absl::Status Flags::Require(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (Has(name)) continue;
    return Usage(absl::StrCat("flag '--", name, "' is missing"));
  }
  return absl::OkStatus();
}

class FlagParser {
 public:
  FlagParser(const std::vector<std::string>& arguments, const FlagNames& names)
      : arguments_(arguments), names_(names) {}

  absl::StatusOr<Flags> Parse() {
    while (next_ < arguments_.size()) RK_RETURN_IF_ERROR(ParseOne());
    return std::move(flags_);
  }

 private:
  absl::Status ParseOne() {
    const std::string& argument = arguments_[next_++];
    const size_t equals = argument.find('=');
    RK_ASSIGN_OR_RETURN(const std::string name,
                        FlagName(argument.substr(0, equals)));
    const bool is_switch = Contains(names_.switches, name);
    const bool is_repeated = Contains(names_.repeated, name);
    if (!is_switch && !is_repeated && !Contains(names_.valued, name)) {
      return UnknownFlag(name, names_);
    }
    std::string value;
    if (equals != std::string::npos) {
      if (is_switch) {
        return Usage(absl::StrCat("'--", name, "' takes no value"));
      }
      value = argument.substr(equals + 1);
    } else if (!is_switch) {
      if (next_ == arguments_.size()) {
        return Usage(absl::StrCat("'--", name, "' needs a value"));
      }
      value = arguments_[next_++];
    }
    if (flags_.Has(name) && !is_repeated) {
      return Usage(absl::StrCat("'--", name, "' is given twice"));
    }
    flags_.values_[name].push_back(value);
    return absl::OkStatus();
  }

  const std::vector<std::string>& arguments_;
  const FlagNames& names_;
  size_t next_ = 0;
  Flags flags_;
};

absl::StatusOr<Flags> ParseFlags(const std::vector<std::string>& arguments,
                                 const FlagNames& names) {
  return FlagParser(arguments, names).Parse();
}

std::vector<std::string> WithoutFlags(const std::vector<std::string>& arguments,
                                      const std::vector<std::string>& names) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    const absl::StatusOr<std::string> name =
        FlagName(arguments[i].substr(0, equals));
    if (!name.ok() || !Contains(names, *name)) {
      kept.push_back(arguments[i]);
    } else if (equals == std::string::npos) {
      ++i;  // its value
    }
  }
  return kept;
}

}  // namespace rekindle
