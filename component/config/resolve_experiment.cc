#include "component/config/resolve_experiment.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "component/config/config_sources.h"
#include "component/config/config_tree.h"
#include "component/config/field_value.h"
#include "rekindle/training/config.h"
#include "rekindle/training/experiment.h"

namespace rekindle {
namespace {

// A short name that somebody used. A plain value.
struct UsedName {
  std::string source;
  std::string name;
  std::vector<std::string> paths;
};

// An experiment while layers are laid over it.
class Layers {
 public:
  Layers(ShortNames short_names, ExperimentConfig& config)
      : short_names_(std::move(short_names)), config_(config) {
    short_names_.insert(CommonShortNames().begin(), CommonShortNames().end());
  }

  absl::Status Add(const ConfigLayer& layer) {
    return ApplyLayer(layer, config_);
  }

  // Adds an object (or null) of short names and dotted paths.
  absl::Status AddNamed(const std::string& source, const ConfigJson& values) {
    if (values.is_null()) return absl::OkStatus();
    if (!values.is_object()) {
      return absl::InvalidArgumentError(absl::StrCat(
          source, " is ", ShortText(values), ", expected names and values"));
    }
    for (const auto& [name, value] : values.items()) {
      RK_RETURN_IF_ERROR(AddOne(source, name, value));
    }
    return absl::OkStatus();
  }

  // Checks that each short name that was used had an effect.
  absl::Status CheckUsedNames() const {
    for (const UsedName& used : used_) {
      const bool has_effect = std::ranges::any_of(
          used.paths,
          [&](const std::string& path) { return IsActive(config_, path); });
      if (has_effect) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(used.source, ": '", used.name, "' has no effect: of ",
                       absl::StrJoin(used.paths, ", "),
                       " none is in what was chosen by its 'type'"));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddOne(const std::string& source, const std::string& name,
                      const ConfigJson& value) {
    const auto short_name = short_names_.find(name);
    if (short_name == short_names_.end()) return AddPath(source, name, value);
    used_.push_back({source, name, short_name->second});
    for (const std::string& path : short_name->second) {
      RK_RETURN_IF_ERROR(
          AddAt(absl::StrCat(source, ", '", name, "'"), path, value));
    }
    return absl::OkStatus();
  }

  absl::Status AddPath(const std::string& source, const std::string& path,
                       const ConfigJson& value) {
    ConfigFields fields;
    config_.Describe(fields);
    const std::string first = path.substr(0, path.find('.'));
    if (fields.Find(first) != nullptr) return AddAt(source, path, value);
    return absl::InvalidArgumentError(
        absl::StrCat(source, ": '", path, "' is unknown; ",
                     Suggestion(path, Names(fields))));
  }

  absl::Status AddAt(const std::string& source, const std::string& path,
                     const ConfigJson& value) {
    ConfigLayer layer{.source = source};
    PutAt(path, value, layer.values);
    return Add(layer);
  }

  // Short names, and those that dotted paths begin with.
  std::vector<std::string> Names(const ConfigFields& fields) const {
    std::vector<std::string> names = FieldNames(fields);
    for (const auto& [name, paths] : short_names_) names.push_back(name);
    return names;
  }

  ShortNames short_names_;
  ExperimentConfig& config_;
  std::vector<UsedName> used_;
};

// Takes `name` out of an object; null when it is not there.
ConfigJson Take(const std::string& name, ConfigJson& object) {
  if (!object.is_object() || !object.contains(name)) return nullptr;
  ConfigJson value = std::move(object[name]);
  object.erase(name);
  return value;
}

absl::StatusOr<std::string> ExperimentName(const std::string& flag,
                                           const ConfigJson& custom) {
  if (!custom.is_null() && !custom.is_string()) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom_config: 'experiment' is ", ShortText(custom),
                     ", expected the name of an experiment"));
  }
  const std::string name = custom.is_null() ? flag : custom.get<std::string>();
  if (!flag.empty() && name != flag) {
    return absl::InvalidArgumentError(
        absl::StrCat("the experiment is '", flag, "', but custom_config says '",
                     name, "': say one of them"));
  }
  if (!name.empty()) return name;
  return absl::InvalidArgumentError(
      absl::StrCat("no experiment is named; there are: ",
                   absl::StrJoin(ExperimentNames(), ", ")));
}

absl::StatusOr<std::unique_ptr<ExperimentConfig>> MakeConfig(
    const std::string& name, const Experiment& experiment) {
  std::unique_ptr<ExperimentConfig> config = experiment.make();
  if (config == nullptr || config->task == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("experiment '", name, "' makes no task"));
  }
  return config;
}

// The "config_file" of custom_config as a list.
absl::StatusOr<std::vector<std::string>> ConfigFiles(const ConfigJson& custom) {
  if (custom.is_null()) return std::vector<std::string>();
  if (custom.is_string()) return std::vector<std::string>{custom};
  const auto is_string = [](const ConfigJson& path) {
    return path.is_string();
  };
  if (custom.is_array() && std::ranges::all_of(custom, is_string)) {
    return custom.get<std::vector<std::string>>();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("custom_config: 'config_file' is ", ShortText(custom),
                   ", expected a path or a list of paths"));
}

absl::Status AddFiles(const std::vector<std::string>& paths, Layers& layers) {
  for (const std::string& path : paths) {
    RK_ASSIGN_OR_RETURN(const ConfigLayer layer, ReadConfigFile(path));
    RK_RETURN_IF_ERROR(layers.Add(layer));
  }
  return absl::OkStatus();
}

absl::Status AddHyperparameters(const ConfigJson& hyperparameters,
                                Layers& layers) {
  if (hyperparameters.is_null()) return absl::OkStatus();
  if (!hyperparameters.is_object() || !hyperparameters.contains("values")) {
    return absl::InvalidArgumentError(
        "hyperparameters: expected an object with the key 'values', as "
        "keras_tuner writes it");
  }
  return layers.AddNamed("hyperparameters", hyperparameters.at("values"));
}

absl::Status AddOverride(const std::string& text, Layers& layers) {
  RK_ASSIGN_OR_RETURN(const ConfigLayer layer, ParseOverride(text));
  return layers.Add(layer);
}

absl::Status AddCustomOverride(const ConfigJson& custom, Layers& layers) {
  if (custom.is_null()) return absl::OkStatus();
  if (custom.is_string()) return AddOverride(custom, layers);
  return layers.AddNamed("custom_config, 'params_override'", custom);
}

// Null when it was not said.
template <typename T>
ConfigJson OrNull(const std::optional<T>& value) {
  return value.has_value() ? ConfigJson(*value) : ConfigJson();
}

ConfigJson OrNull(const std::vector<std::string>& values) {
  return values.empty() ? ConfigJson() : ConfigJson(values);
}

absl::Status AddArguments(const ExperimentOptions& options, Layers& layers) {
  struct Argument {
    std::string source;
    std::string path;
    ConfigJson value;
  };
  const std::vector<Argument> arguments = {
      {"train_args", "trainer.train_steps", OrNull(options.train_steps)},
      {"eval_args", "trainer.validation_steps",
       OrNull(options.validation_steps)},
      {"train_args", "task.train_data.input_path", OrNull(options.train_files)},
      {"eval_args", "task.validation_data.input_path",
       OrNull(options.validation_files)},
  };
  for (const Argument& argument : arguments) {
    if (argument.value.is_null()) continue;
    RK_RETURN_IF_ERROR(
        layers.AddNamed(argument.source, {{argument.path, argument.value}}));
  }
  return layers.AddNamed("arguments", options.arguments);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ExperimentConfig>> ResolveExperiment(
    const ExperimentOptions& options) {
  ConfigJson custom = options.custom_config;
  RK_ASSIGN_OR_RETURN(
      const std::string name,
      ExperimentName(options.experiment, Take("experiment", custom)));
  RK_ASSIGN_OR_RETURN(const Experiment experiment, FindExperiment(name));
  RK_ASSIGN_OR_RETURN(auto config, MakeConfig(name, experiment));
  Layers layers(experiment.short_names, *config);

  RK_ASSIGN_OR_RETURN(const auto files,
                      ConfigFiles(Take("config_file", custom)));
  const ConfigJson custom_override = Take("params_override", custom);
  RK_RETURN_IF_ERROR(AddFiles(files, layers));
  RK_RETURN_IF_ERROR(AddFiles(options.config_files, layers));
  RK_RETURN_IF_ERROR(layers.AddNamed("custom_config", custom));
  RK_RETURN_IF_ERROR(AddHyperparameters(options.hyperparameters, layers));
  RK_RETURN_IF_ERROR(AddCustomOverride(custom_override, layers));
  for (const std::string& text : options.params_override) {
    RK_RETURN_IF_ERROR(AddOverride(text, layers));
  }
  RK_RETURN_IF_ERROR(AddArguments(options, layers));

  RK_RETURN_IF_ERROR(layers.CheckUsedNames());
  const absl::Status valid = CheckConfig(*config);
  if (valid.ok()) return config;
  return absl::Status(
      valid.code(), absl::StrCat("experiment '", name, "': ", valid.message()));
}

}  // namespace rekindle
