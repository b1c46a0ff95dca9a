#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "cli/argo/cluster_flags.h"
#include "cli/argo/follow_view.h"
#include "cli/argo/log_printer.h"
#include "cli/argo/submit_flags.h"
#include "cli/argo/workflow_command.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/output.h"
#include "cli/table.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/resource.h"
#include "operator/lint/validate.h"
#include "operator/submit/references.h"
#include "operator/submit/remote_workflow.h"
#include "operator/submit/submission.h"
#include "operator/workflow/finding.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/workflow_loader.h"
#include "operator/workflow/workflow_model.h"
#include "operator/workflow/yaml_node.h"

namespace rekindle {
namespace {

using argo::TextAt;
using nlohmann::json;

absl::StatusOr<std::string> ReadInput(const std::string& file) {
  if (file != "-") return ReadFile(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

// What is to be submitted: the object, what it was read from, if that was a
// file, and the namespace it goes to, once that is settled.
struct Submission {
  json object;
  std::optional<argo::Workflow> read;
  std::string where = {};
};

// The Workflows of a file that can be read.
absl::StatusOr<std::vector<Submission>> ReadWorkflows(const std::string& file) {
  RK_ASSIGN_OR_RETURN(const std::string text, ReadInput(file));
  const std::string shown = file == "-" ? "standard input" : file;
  const argo::LoadedWorkflows loaded = argo::LoadWorkflows(text, shown);
  RK_RETURN_IF_ERROR(argo::ToStatus(loaded.findings));
  std::vector<Submission> workflows;
  for (const argo::Workflow& workflow : loaded.workflows) {
    if (workflow.kind == argo::WorkflowKind::kWorkflow) {
      workflows.push_back({ToJson(*workflow.source), workflow});
    }
  }
  if (workflows.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        shown, " holds no Workflow",
        loaded.workflows.empty()
            ? ""
            : absl::StrCat(", but ", loaded.workflows[0].Describe(),
                           "; install it with 'kubectl apply', "
                           "and submit with --from")));
  }
  return workflows;
}

absl::StatusOr<std::string> NamespaceOf(const json& workflow,
                                        const SubmitFlags& flags,
                                        const Cluster& cluster) {
  std::string own = TextAt(workflow, "/metadata/namespace");
  if (own.empty()) return cluster.in_namespace;
  if (!flags.cluster.in_namespace.empty() &&
      flags.cluster.in_namespace != own) {
    return absl::InvalidArgumentError(
        absl::StrCat("--namespace says '", flags.cluster.in_namespace,
                     "', the workflow's metadata '", own, "'"));
  }
  return own;
}

std::string ParametersOf(const json& workflow) {
  std::string text;
  const json::json_pointer at("/spec/arguments/parameters");
  if (!workflow.contains(at)) return text;
  for (const json& parameter : workflow[at]) {
    absl::StrAppend(&text, text.empty() ? "" : " ", TextAt(parameter, "/name"),
                    "=", TextAt(parameter, "/value"));
  }
  return text;
}

void Print(const json& workflow, const std::string& format) {
  const std::string name = argo::WorkflowName(workflow);
  const std::string where = TextAt(workflow, "/metadata/namespace");
  if (format == "name") {
    std::cout << name << "\n";
  } else if (format == "wide") {
    std::cout << ToTable(
        {{"NAME", "NAMESPACE", "STATUS", "CREATED", "ENTRYPOINT", "PARAMETERS"},
         {name, where, argo::WorkflowPhase(workflow),
          TextAt(workflow, "/metadata/creationTimestamp"),
          TextAt(workflow, "/spec/entrypoint"), ParametersOf(workflow)}});
  } else if (format == "text") {
    std::cout << "submitted workflow " << name << " to namespace " << where
              << "\n";
  } else {
    std::cout << Render(workflow, format);
  }
  std::cout << std::flush;
}

int TellEnd(const json& ended, const SubmitFlags& flags) {
  if (flags.format == "text" || flags.format == "wide") {
    const std::string message = argo::WorkflowMessage(ended);
    std::cout << argo::WorkflowName(ended) << " " << argo::WorkflowPhase(ended)
              << " at " << TextAt(ended, "/status/finishedAt")
              << (message.empty() ? "" : ": ") << message << "\n";
  }
  return ExitCodeOfWorkflow(ended);
}

absl::StatusOr<int> Wait(const json& workflow, const SubmitFlags& flags,
                         const Cluster& cluster) {
  RK_ASSIGN_OR_RETURN(
      const json ended,
      argo::AwaitWorkflow(workflow, cluster.follow, *cluster.client));
  return TellEnd(ended, flags);
}

absl::StatusOr<int> Follow(const json& workflow, const SubmitFlags& flags,
                           const Cluster& cluster) {
  if (flags.watch) return FollowInView(workflow, cluster);
  if (flags.log) {
    RK_ASSIGN_OR_RETURN(const json ended, PrintLogsToTheEnd(workflow, cluster));
    return flags.wait ? TellEnd(ended, flags) : ExitCodeOfWorkflow(ended);
  }
  return flags.wait ? Wait(workflow, flags, cluster) : kOk;
}

// What `rekindle lint` finds, with the templates that are installed.
absl::Status Check(const argo::Workflow& workflow,
                   const argo::InstalledTemplates& installed) {
  if (!installed.complete) return absl::OkStatus();
  argo::TemplateLibrary library;
  for (const json& object : installed.objects) {
    const std::string name = TextAt(object, "/metadata/name");
    argo::LoadedWorkflows loaded =
        argo::LoadWorkflows(object.dump(), absl::StrCat("installed ", name));
    for (argo::Workflow& one : loaded.workflows) library.Add(std::move(one));
  }
  return argo::ToStatus(argo::Validate(workflow, library));
}

// Settles where a workflow goes, and whether it can run there.
absl::Status Prepare(Submission& submission, const SubmitFlags& flags,
                     const Cluster& cluster) {
  RK_ASSIGN_OR_RETURN(submission.where,
                      NamespaceOf(submission.object, flags, cluster));
  RK_ASSIGN_OR_RETURN(const argo::InstalledTemplates installed,
                      argo::FindReferences(submission.object, submission.where,
                                           *cluster.client));
  if (!submission.read.has_value()) return absl::OkStatus();
  return Check(*submission.read, installed);
}

// Sends one workflow; returns what the cluster made of it.
absl::StatusOr<json> Submit(const Submission& submission,
                            const SubmitFlags& flags, const Cluster& cluster) {
  argo::CreateOptions options;
  options.dry_run = flags.server_dry_run;
  return cluster.client->Create(argo::kWorkflows, submission.where,
                                submission.object, options);
}

absl::StatusOr<std::vector<Submission>> SubmissionsOf(
    const SubmitFlags& flags, const std::vector<std::string>& positional,
    const argo::SubmitOptions& options, const Cluster* cluster) {
  std::vector<Submission> all;
  if (flags.from.empty()) {
    RK_ASSIGN_OR_RETURN(all, ReadWorkflows(positional[0]));
  } else {
    RK_ASSIGN_OR_RETURN(const auto from, argo::ParseFrom(flags.from));
    RK_ASSIGN_OR_RETURN(json workflow,
                        argo::WorkflowFrom(from, cluster->in_namespace,
                                           absl::Now(), *cluster->client));
    all.push_back({std::move(workflow), std::nullopt});
  }
  if (all.size() > 1 && (flags.watch || flags.log)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--watch and --log follow one workflow, and ",
                     positional[0], " holds ", all.size()));
  }
  for (Submission& one : all) {
    RK_RETURN_IF_ERROR(argo::Apply(options, one.object));
    if (one.read.has_value()) argo::Apply(options, *one.read);
  }
  return all;
}

absl::StatusOr<int> SubmitAll(std::vector<Submission> all,
                              const SubmitFlags& flags,
                              const Cluster& cluster) {
  // All of them before the first is sent: half a file is not what was asked.
  for (Submission& one : all) {
    RK_RETURN_IF_ERROR(Prepare(one, flags, cluster));
  }
  std::vector<json> submitted;
  for (const Submission& one : all) {
    RK_ASSIGN_OR_RETURN(json created, Submit(one, flags, cluster));
    Print(created, flags.format);
    submitted.push_back(std::move(created));
  }
  int code = kOk;
  for (const json& workflow : submitted) {
    const absl::StatusOr<int> one = Follow(workflow, flags, cluster);
    if (!one.ok()) {
      return NoteThatItGoesOn(one.status(), argo::WorkflowName(workflow));
    }
    code = std::max(code, *one);
  }
  return code;
}

int PrintAll(const std::vector<Submission>& all, const std::string& format) {
  for (const Submission& one : all) {
    Print(one.object, format == "text" ? "yaml" : format);
  }
  return kOk;
}

absl::StatusOr<int> Run(const SubmitFlags& flags,
                        const std::vector<std::string>& positional) {
  if (positional.size() != (flags.from.empty() ? 1 : 0)) {
    return absl::InvalidArgumentError(
        "give one file, '-' for the standard input, or --from");
  }
  RK_ASSIGN_OR_RETURN(const argo::SubmitOptions options, flags.Options());
  if (flags.dry_run && flags.from.empty()) {
    RK_ASSIGN_OR_RETURN(const auto all,
                        SubmissionsOf(flags, positional, options, nullptr));
    return PrintAll(all, flags.format);
  }
  RK_ASSIGN_OR_RETURN(const Cluster cluster, flags.cluster.Connect());
  RK_ASSIGN_OR_RETURN(auto all,
                      SubmissionsOf(flags, positional, options, &cluster));
  return flags.dry_run ? PrintAll(all, flags.format)
                       : SubmitAll(std::move(all), flags, cluster);
}

}  // namespace

int SubmitCommand(const Arguments& arguments) {
  SubmitFlags submit;
  FlagSet flags(
      "submit FILE|- [flags]",
      "Sends a workflow to the cluster, where Argo runs it. It is checked "
      "before, and so\nis that the templates it refers to are installed.\n"
      "Exit status: 0 submitted, or with --wait, --watch or --log succeeded; 1 "
      "failed;\n2 wrong file or usage; 3 no such file, namespace or template; "
      "4 "
      "its name is\ntaken; 75 the cluster is not reached; 130 interrupted, the "
      "workflow goes on.",
      "rekindle submit pipeline.yaml -p steps=200 --watch");
  submit.Bind(flags);
  std::vector<std::string> positional;
  const absl::Status parsed = flags.Parse(arguments, &positional);
  if (!parsed.ok()) return Fail(parsed);
  if (flags.help_requested()) {
    std::cout << flags.Help();
    return kOk;
  }
  const absl::StatusOr<int> code = Run(submit, positional);
  return code.ok() ? *code : Fail(code.status());
}

}  // namespace rekindle
