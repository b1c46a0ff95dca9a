#include "component/steps/interpreter.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_util.h"
#include "component/launch/failure.h"
#include "component/launch/supervisor.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

absl::Status CannotStart(const absl::Status& status) {
  return WithReason(FailureReason::kChildCannotStart,
                    WithNote(status, kNamesInterpreter));
}

}  // namespace

absl::StatusOr<Interpreter> DescribeInterpreter(const std::string& python,
                                                const std::string& library) {
  std::string said;
  ChildSpec child;
  child.argv = {python, JoinPath(library, "run_module.py"), "--describe"};
  child.on_line = [&said](absl::string_view line) { said = std::string(line); };
  const absl::StatusOr<ChildEnd> end = RunChild(child);
  if (!end.ok()) return CannotStart(end.status());
  const auto facts =
      nlohmann::json::parse(said, nullptr, /*allow_exceptions=*/false);
  if (!end->process.ok() || !facts.is_object()) {
    return CannotStart(absl::FailedPreconditionError(
        absl::StrCat("'", python, "' is no Python interpreter that can run ",
                     child.argv[1], said.empty() ? "" : ": ", said)));
  }
  return Interpreter{facts.value("python", ""), facts.value("tensorflow", ""),
                     facts.value("packages", "")};
}

}  // namespace rekindle
