#include "operator/pods/process_maker.h"

#include <map>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "operator/pods/beneath.h"

namespace rekindle::argo {
namespace {

std::string Deadline(absl::Time deadline) {
  return deadline == absl::InfiniteFuture()
             ? "0001-01-01T00:00:00Z"
             : absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", deadline,
                                absl::UTCTimeZone());
}

std::map<std::string, std::string> OurEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string line = *entry;
    const size_t at = line.find('=');
    if (at != std::string::npos) {
      variables[line.substr(0, at)] = line.substr(at + 1);
    }
  }
  return variables;
}

std::vector<std::string> Lines(
    const std::map<std::string, std::string>& variables) {
  std::vector<std::string> lines;
  lines.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    lines.push_back(absl::StrCat(name, "=", value));
  }
  return lines;
}

}  // namespace

const Container& ContainerOf(const Template& definition) {
  return definition.script.has_value() ? *definition.script
                                       : *definition.container;
}

ProcessMaker::ProcessMaker(const PodRunnerOptions& options,
                           const PodPaths& paths)
    : options_(options), paths_(paths), environment_(OurEnvironment()) {
  std::string& path = environment_["PATH"];
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  path = absl::StrCat(options_.program_folder, ":", path);
  environment_["ARGO_CONTAINER_NAME"] = "main";
  environment_["ARGO_WORKFLOW_NAME"] = options_.workflow_name;
}

absl::StatusOr<ProcessSpec> ProcessMaker::Make(const PodTask& task) const {
  if (!task.definition->container.has_value() &&
      !task.definition->script.has_value()) {
    // Of Rekindle's own library, which is not checked before a run.
    return absl::InvalidArgumentError(absl::StrCat(
        "template '", task.definition->name, "' is a ",
        KindName(task.definition->kind()), ", which only a cluster has"));
  }
  ProcessSpec spec;
  RK_ASSIGN_OR_RETURN(spec.argv, Arguments(task));
  const std::map<std::string, std::string> environment = Environment(task);
  spec.environment = Lines(environment);
  spec.search_path = environment.at("PATH");
  spec.folder = WorkingFolder(task);
  spec.log_path = paths_.Log(task.pod_name);
  spec.capture_output = task.wants_result;
  return spec;
}

absl::StatusOr<std::vector<std::string>> ProcessMaker::Arguments(
    const PodTask& task) const {
  const Container& container = ContainerOf(*task.definition);
  std::vector<std::string> argv = container.command;
  const auto of_image = options_.image_commands.find(container.image);
  if (argv.empty() && of_image != options_.image_commands.end()) {
    argv = absl::StrSplit(of_image->second, ' ', absl::SkipEmpty());
  }
  if (argv.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        container.position.ToString(), ": template '", task.definition->name,
        "' has no command, and what image '", container.image,
        "' would run is not known here; write the command, or name it with "
        "--image-command"));
  }
  if (task.definition->script.has_value()) {
    const std::string script = absl::StrCat(paths_.Folder(task), "/script");
    RK_RETURN_IF_ERROR(MakeDirs(paths_.Folder(task)));
    RK_RETURN_IF_ERROR(
        WriteFileAtomically(script, task.definition->script->source));
    argv.push_back(script);
  }
  argv.insert(argv.end(), container.args.begin(), container.args.end());
  return argv;
}

std::map<std::string, std::string> ProcessMaker::Environment(
    const PodTask& task) const {
  std::map<std::string, std::string> all = environment_;
  all["ARGO_NODE_ID"] = task.node_id;
  all["ARGO_INCLUDE_SCRIPT_OUTPUT"] = task.wants_result ? "true" : "false";
  all["ARGO_DEADLINE"] = Deadline(task.deadline);
  all["ARGO_PROGRESS_FILE"] = paths_.Progress(task.node_id);
  all["REKINDLE_TERMINATION_LOG"] = paths_.Message(task.node_id);
  for (const EnvVar& variable : ContainerOf(*task.definition).env) {
    all[variable.name] = variable.value;
  }
  return all;
}

// A claim's folder has a name on this machine that stays true when the pod has
// ended: a step that works in it gets that one.
std::string ProcessMaker::WorkingFolder(const PodTask& task) const {
  const std::string& wanted = ContainerOf(*task.definition).working_dir;
  if (wanted.empty()) return options_.work_folder;
  for (const PodMount& mount : task.mounts) {
    if (mount.kind != PodMount::Kind::kClaim || !IsBelow(wanted, mount.path)) {
      continue;
    }
    const auto folder = paths_.Volume(task, mount);
    if (folder.ok()) {
      return absl::StrCat(*folder, wanted.substr(mount.path.size()));
    }
  }
  return wanted;
}

}  // namespace rekindle::argo
