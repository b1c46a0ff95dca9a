#include "cli/argo/submit_flags.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/flag_set.h"
#include "operator/submit/submission.h"

namespace rekindle {

void SubmitFlags::Bind(FlagSet& flags) {
  parameters.Bind(flags);
  flags.String("name", "NAME", &name, "instead of metadata.name");
  flags.String("generate-name", "BASE", &generate_name,
               "instead of metadata.generateName: BASE and five letters");
  flags.String("entrypoint", "TEMPLATE", &entrypoint,
               "instead of spec.entrypoint");
  flags.String("serviceaccount", "NAME", &service_account,
               "the account that all pods run as");
  flags.String("labels", "A=B,C=D", &labels, "added to the workflow");
  flags.Letter('l', "labels");
  flags.String("from", "KIND/NAME", &from,
               "no file, but what is installed: workflowtemplate/NAME, "
               "clusterworkflowtemplate/NAME or cronworkflow/NAME");
  flags.Bool("wait", &wait, "until it has finished");
  flags.Letter('w', "wait");
  flags.Bool("watch", &watch, "show its graph until it has finished");
  flags.Bool("log", &log, "print its logs until it has finished");
  flags.Bool("dry-run", &dry_run, "print what would be submitted");
  flags.Bool("server-dry-run", &server_dry_run,
             "let the cluster check it, and keep nothing");
  flags.Format({"text", "name", "json", "yaml", "wide"}, &format);
  cluster.Bind(flags);
}

absl::StatusOr<argo::SubmitOptions> SubmitFlags::Options() const {
  const bool follows = wait || watch || log;
  if (watch && (wait || log)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--watch shows everything itself; leave out ",
                     wait ? "--wait" : "--log"));
  }
  if (follows && (dry_run || server_dry_run)) {
    return absl::InvalidArgumentError(
        "a dry run starts nothing that could be waited for");
  }
  argo::SubmitOptions options;
  RK_ASSIGN_OR_RETURN(options.parameters, parameters.Values());
  RK_ASSIGN_OR_RETURN(options.labels, argo::ParseLabels(labels));
  options.name = name;
  options.generate_name = generate_name;
  options.entrypoint = entrypoint;
  options.service_account = service_account;
  return options;
}

}  // namespace rekindle
