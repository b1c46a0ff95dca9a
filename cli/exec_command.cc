#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "cli/step_inputs.h"
#include "component/launch/step.h"
#include "component/steps/exec.h"

namespace rekindle {
namespace {

// The flags of `exec`, before they are understood.
struct ExecFlags {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> parameters;
  std::vector<std::string> secrets;
  std::string component = ExecOptions().component;
  std::string component_version;
  absl::Duration grace = absl::Seconds(25);

  void Bind(FlagSet& flags);
};

void ExecFlags::Bind(FlagSet& flags) {
  flags.Strings("input", "KEY=TYPE:REF", &inputs,
                "an artifact to read: data=Examples:latest, "
                "model=Model:id:7, stats=MyStats:run:Stats.report");
  flags.Strings("output", "KEY=TYPE", &outputs,
                "an artifact to write, of one of TFX's types or your own");
  flags.Strings("parameter", "NAME=VALUE", &parameters,
                "a setting, recorded; a number if it looks like one");
  flags.Strings("secret", "NAME=VALUE", &secrets,
                "a parameter of which only a hash is recorded; NAME=@FILE "
                "takes it from a file");
  flags.String("component", "NAME", &component,
               "the execution's type: what kind of work this is");
  flags.String("component-version", "TEXT", &component_version,
               "recorded, and part of the cache key");
  flags.Duration("grace", &grace,
                 "time to end by itself when stopped, then SIGKILL");
}

absl::StatusOr<std::map<std::string, std::string>> ParseSecrets(
    const std::vector<std::string>& texts) {
  RK_ASSIGN_OR_RETURN(auto secrets, ParseNamedValues("secret", texts));
  for (auto& [name, value] : secrets) {
    if (!absl::StartsWith(value, "@")) continue;
    absl::StatusOr<std::string> content = ReadFile(value.substr(1));
    if (!content.ok()) {
      return WithContext(content.status(), absl::StrCat("--secret ", name));
    }
    value = std::string(absl::StripSuffix(*content, "\n"));
  }
  return secrets;
}

absl::StatusOr<ExecOptions> MakeExecOptions(const ExecFlags& flags,
                                            const Arguments& command) {
  ExecOptions options;
  for (const std::string& text : flags.inputs) {
    RK_ASSIGN_OR_RETURN(InputSpec input, ParseInputFlag(text));
    options.inputs.push_back(std::move(input));
  }
  for (const std::string& text : flags.outputs) {
    RK_ASSIGN_OR_RETURN(OutputSpec output, ParseOutputFlag(text));
    options.outputs.push_back(std::move(output));
  }
  RK_ASSIGN_OR_RETURN(options.parameters,
                      ParseNamedValues("parameter", flags.parameters));
  RK_ASSIGN_OR_RETURN(options.secrets, ParseSecrets(flags.secrets));
  options.component = flags.component;
  options.component_version = flags.component_version;
  options.command = command;
  options.grace = flags.grace;
  options.on_line = [](absl::string_view line) { std::cerr << line << '\n'; };
  return options;
}

}  // namespace

int ExecCommand(const Arguments& arguments) {
  // Flags, "--", command.
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const Arguments command(dashes == arguments.end() ? dashes : dashes + 1,
                          arguments.end());
  StepFlags step("");
  ExecFlags exec;
  FlagSet flags(
      "exec --pipeline=NAME --node=NAME [flags] -- COMMAND [ARGUMENT...]",
      "Runs a command as a step: it gets the places of its inputs and outputs "
      "for\nplaceholders such as {{inputs.data.uri}}, and what it writes is "
      "published whole or\nnot at all. docs/exec.md lists the placeholders.",
      "rekindle exec --pipeline=penguin --node=Report "
      "--input data=Examples:latest \\\n    --output report=Metrics -- "
      "sh -c 'wc -c {{inputs.data.uri}}/*/* > {{outputs.report.uri}}/sizes'");
  exec.Bind(flags);
  step.Bind(flags, "format");
  if (const auto exit_code =
          ParseOrExit(flags, Arguments(arguments.begin(), dashes),
                      "the command comes behind ' -- '")) {
    return *exit_code;
  }
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(ExecOptions options,
                            MakeExecOptions(exec, command));
        return MakeExec(std::move(options), spec);
      });
}

}  // namespace rekindle
