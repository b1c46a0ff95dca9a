#include "component/steps/exec.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/cache/content_digest.h"
#include "component/contract/component_output.h"
#include "component/contract/json_file.h"
#include "component/launch/failure.h"
#include "component/launch/secret_mask.h"
#include "component/launch/step.h"
#include "component/launch/step_child.h"
#include "component/launch/tfx_names.h"
#include "component/steps/placeholders.h"
#include "component/steps/proto_json.h"
#include "component/steps/typed_values.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

using ml_metadata::Artifact;
using nlohmann::json;

std::string HashOf(absl::string_view text) {
  Sha256 hash;
  hash.Update(text);
  return absl::StrCat("sha256:", hash.HexDigest());
}

// Changes when the command does: its words, the program, and every file that
// is one of its words, as a script is.
std::string CommandDigest(const std::vector<std::string>& command,
                          WatchedFiles& watched) {
  Sha256 hash;
  for (const std::string& word : command) hash.UpdateField(word);
  for (const auto& [name, digest] : CommandFields(command, watched)) {
    hash.UpdateField(name);
    hash.UpdateField(digest);
  }
  return absl::StrCat("sha256:", hash.HexDigest());
}

// "my-data" is MY_DATA in a variable's name.
std::string VariableName(absl::string_view prefix, absl::string_view name) {
  std::string variable = absl::StrCat(prefix, absl::AsciiStrToUpper(name));
  std::replace_if(
      variable.begin(), variable.end(),
      [](char c) { return !absl::ascii_isalnum(c); }, '_');
  return variable;
}

json ArtifactToJson(const Artifact& artifact) {
  json result = {
      {"id", artifact.id()},          {"type", artifact.type()},
      {"uri", artifact.uri()},        {"name", artifact.name()},
      {"properties", json::object()}, {"custom_properties", json::object()}};
  for (const auto& [name, value] : artifact.properties()) {
    result["properties"][name] = ValueToJson(value);
  }
  for (const auto& [name, value] : artifact.custom_properties()) {
    result["custom_properties"][name] = ValueToJson(value);
  }
  return result;
}

bool HoldsAFile(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return true;
  for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
    if (!entry.is_directory()) return true;
  }
  return false;
}

SecretMask MaskOf(const ExecOptions& options) {
  std::vector<std::string> secrets;
  for (const auto& [name, text] : options.secrets) secrets.push_back(text);
  return SecretMask(secrets);
}

class Exec : public Executor {
 public:
  explicit Exec(ExecOptions options)
      : options_(std::move(options)), mask_(MaskOf(options_)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    absl::StatusOr<StepResult> result = Produce(context);
    // The command's own words may be its error.
    if (!result.ok()) return mask_.Mask(result.status());
    return result;
  }

 private:
  absl::StatusOr<StepResult> Produce(const StepContext& context) const {
    const std::string answer =
        JoinPath(context.attempt_dir, "executor_output.json");
    RK_ASSIGN_OR_RETURN(const ComponentOutput said,
                        ReadAnswer(answer, RunCommand(context, answer)));
    RK_RETURN_IF_ERROR(CheckWritten(context));
    return MakeResult(said);
  }

  // Where each output is to be written, by key.
  std::map<std::string, std::string> OutputPlaces(
      const StepContext& context) const {
    std::map<std::string, std::string> places;
    for (const OutputSpec& output : options_.outputs) {
      places[output.key] = absl::StrCat(context.output_dirs.at(output.key),
                                        ContentSuffix(output.type));
    }
    return places;
  }

  static std::map<std::string, std::string> StepValues(
      const StepContext& context) {
    return {{"pipeline", context.pipeline},
            {"run_id", context.run_id},
            {"node_id", context.node_id},
            {"execution_id", absl::StrCat(context.execution_id)},
            {"state_dir", context.state_dir}};
  }

  absl::Status RunCommand(const StepContext& context,
                          const std::string& answer) const {
    PlaceholderValues values = {context.inputs, OutputPlaces(context),
                                options_.parameters, StepValues(context)};
    values.parameters.insert(options_.secrets.begin(), options_.secrets.end());
    const std::string input =
        JoinPath(context.attempt_dir, "executor_input.json");
    RK_RETURN_IF_ERROR(
        WriteJsonFile(InputJson(context, values, answer), input));

    StepChild child;
    child.name = "the command";
    for (const std::string& word : options_.command) {
      RK_ASSIGN_OR_RETURN(std::string filled, FillPlaceholders(word, values));
      child.argv.push_back(std::move(filled));
    }
    child.environment = Environment(values, input, answer);
    if (options_.on_line) child.on_line = options_.on_line;
    child.grace = options_.grace;
    child.mask = mask_;
    return RunStepChild(child, context);
  }

  // Everything but the secrets, which are not to be on a disk.
  json InputJson(const StepContext& context, const PlaceholderValues& values,
                 const std::string& answer) const {
    json result = {
        {"pipeline", context.pipeline}, {"run_id", context.run_id},
        {"node_id", context.node_id},   {"execution_id", context.execution_id},
        {"attempt", context.attempt},   {"state_dir", context.state_dir},
        {"inputs", json::object()},     {"outputs", json::object()},
        {"parameters", json::object()}, {"output_path", answer}};
    for (const auto& [key, artifacts] : context.inputs) {
      for (const Artifact& artifact : artifacts) {
        result["inputs"][key].push_back(ArtifactToJson(artifact));
      }
    }
    for (const OutputSpec& output : options_.outputs) {
      result["outputs"][output.key] = {{"type", output.type.name()},
                                       {"uri", values.outputs.at(output.key)}};
    }
    for (const auto& [name, text] : options_.parameters) {
      result["parameters"][name] = ValueToJson(ValueByLooks(text));
    }
    return result;
  }

  static std::map<std::string, std::string> Environment(
      const PlaceholderValues& values, const std::string& input,
      const std::string& answer) {
    std::map<std::string, std::string> variables = {
        {"REKINDLE_STEP_EXECUTOR_INPUT", input},
        {"REKINDLE_STEP_EXECUTOR_OUTPUT", answer}};
    for (const auto& [key, artifacts] : values.inputs) {
      variables[VariableName("REKINDLE_INPUT_", key + "_uri")] =
          artifacts.front().uri();
    }
    for (const auto& [key, place] : values.outputs) {
      variables[VariableName("REKINDLE_OUTPUT_", key + "_uri")] = place;
    }
    for (const auto& [name, text] : values.parameters) {
      variables[VariableName("REKINDLE_PARAMETER_", name)] = text;
    }
    for (const auto& [name, text] : values.step) {
      variables[VariableName("REKINDLE_STEP_", name)] = text;
    }
    return variables;
  }

  // What the command has to say, or why it failed. That it was killed or
  // stopped matters more than what it said; its own words more than an exit
  // code.
  static absl::StatusOr<ComponentOutput> ReadAnswer(const std::string& path,
                                                    const absl::Status& ended) {
    if (!ended.ok() && ReasonOf(ended) != FailureReason::kChildExitCode) {
      return ended;
    }
    absl::StatusOr<ComponentOutput> answer = ReadComponentOutput(path);
    if (answer.ok() && !answer->error.empty()) {
      return WithReason(FailureReason::kExecutorError,
                        absl::IsUnavailable(ended)
                            ? absl::UnavailableError(answer->error)
                            : absl::InternalError(answer->error));
    }
    RK_RETURN_IF_ERROR(ended);
    if (!answer.ok()) {
      return WithReason(FailureReason::kInvalidOutput,
                        WithContext(answer.status(), path));
    }
    return answer;
  }

  absl::Status CheckWritten(const StepContext& context) const {
    for (const auto& [key, place] : OutputPlaces(context)) {
      if (HoldsAFile(place)) continue;
      return WithReason(
          FailureReason::kNoOutput,
          absl::FailedPreconditionError(absl::StrCat(
              "output '", key,
              "': the command ended well and wrote nothing "
              "to ",
              place, ", which {{outputs.", key, ".uri}} stands for")));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<StepResult> MakeResult(const ComponentOutput& said) const {
    StepResult result;
    for (const auto& [key, output] : said.outputs) {
      RK_ASSIGN_OR_RETURN(result.outputs[key], MakeOutput(key, output));
    }
    if (!options_.outputs.empty()) {
      PropertyMap& measured =
          result.outputs[options_.outputs.front().key].custom_properties;
      for (const auto& [name, value] : said.metrics) {
        measured[name] = DoubleValue(value);
      }
    }
    for (const auto& [name, value] : said.execution_properties.items()) {
      result.execution_properties[name] = ValueFromJson(value);
    }
    return result;
  }

  absl::StatusOr<StepResult::Output> MakeOutput(
      const std::string& key, const ComponentOutput::Output& said) const {
    const auto spec = std::find_if(
        options_.outputs.begin(), options_.outputs.end(),
        [&key](const OutputSpec& output) { return output.key == key; });
    if (spec == options_.outputs.end()) {
      return WithReason(
          FailureReason::kInvalidOutput,
          absl::InvalidArgumentError(absl::StrCat(
              "the command answered for an output '", key,
              "', which it does not have; add --output ", key, "=TYPE")));
    }
    StepResult::Output output;
    for (const auto& [name, value] : said.properties.items()) {
      absl::StatusOr<ml_metadata::Value> declared =
          AsDeclared(spec->type, name, ValueFromJson(value));
      if (!declared.ok()) {
        return WithReason(FailureReason::kInvalidOutput, declared.status());
      }
      output.properties[name] = *std::move(declared);
    }
    for (const auto& [name, value] : said.custom_properties.items()) {
      output.custom_properties[name] = ValueFromJson(value);
    }
    return output;
  }

  const ExecOptions options_;
  const SecretMask mask_;
};

template <typename Specs>
std::vector<std::string> KeysOf(const Specs& specs) {
  std::vector<std::string> keys;
  for (const auto& spec : specs) keys.push_back(spec.key);
  return keys;
}

absl::Status CheckUnique(absl::string_view what,
                         std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " '", *twice, "' is given twice"));
}

absl::Status CheckOptions(const ExecOptions& options) {
  if (options.command.empty()) {
    return absl::InvalidArgumentError(
        "there is no command; it follows the flags, behind ' -- '");
  }
  PlaceholderNames names = {
      KeysOf(options.inputs), KeysOf(options.outputs), {}};
  for (const auto* values : {&options.parameters, &options.secrets}) {
    for (const auto& [name, value] : *values) names.parameters.push_back(name);
  }
  RK_RETURN_IF_ERROR(CheckUnique("input", names.inputs));
  RK_RETURN_IF_ERROR(CheckUnique("output", names.outputs));
  RK_RETURN_IF_ERROR(CheckUnique("parameter", names.parameters));
  for (const std::string& word : options.command) {
    RK_RETURN_IF_ERROR(CheckPlaceholders(word, names));
  }
  return absl::OkStatus();
}

// What a command can read beside the contents of its inputs: their properties,
// which its executor_input.json has, and what its placeholders stand for.
void AddPlaceholdersToKey(const std::vector<std::string>& command,
                          StepSpec& spec) {
  for (InputSpec& input : spec.inputs) {
    input.properties_count = true;
    input.names_outputs =
        UsesPlaceholder(command, absl::StrCat("inputs.", input.key, ".id"));
  }
  if (UsesPlaceholder(command, "run_id")) {
    spec.key_fields["run_id"] = spec.run_id;
  }
  // No other execution has the same.
  spec.always_runs = UsesPlaceholder(command, "execution_id");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeExec(ExecOptions options,
                                                   StepSpec& spec) {
  RK_RETURN_IF_ERROR(CheckOptions(options));
  spec.execution_type.set_name(options.component);
  spec.inputs = options.inputs;
  AddPlaceholdersToKey(options.command, spec);
  spec.outputs = options.outputs;
  for (const auto& [name, text] : options.parameters) {
    spec.parameters[name] = ValueByLooks(text);
  }
  for (const auto& [name, text] : options.secrets) {
    spec.parameters[name] = StringValue(HashOf(text));
  }
  spec.parameters["command"] = StringValue(ToPythonJson(options.command));
  spec.parameters["command_digest"] =
      StringValue(CommandDigest(options.command, spec.watched));
  if (!options.component_version.empty()) {
    spec.component_version = options.component_version;
    spec.parameters["component_version"] =
        StringValue(options.component_version);
  }
  return std::make_unique<Exec>(std::move(options));
}

}  // namespace rekindle
