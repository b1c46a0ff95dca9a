#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/store_command.h"
#include "cli/node_json.h"
#include "cli/output.h"
#include "cli/root_flags.h"
#include "cli/store_flags.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/artifact_roots.h"
#include "component/resolve/candidate.h"
#include "component/resolve/resolver.h"

namespace rekindle {
namespace {

absl::Status NothingUsable(const std::string& pipeline, const std::string& type,
                           const Resolution& resolution) {
  std::string message = absl::StrCat("pipeline '", pipeline, "' has no usable ",
                                     type, " artifact");
  if (!resolution.candidates.empty()) {
    const Candidate& newest = resolution.candidates.front();
    absl::StrAppend(&message, "; artifact ", newest.artifact.id(), ": ",
                    newest.reason);
  }
  return absl::NotFoundError(message);
}

}  // namespace

int MetadataLatestCommand(const Arguments& arguments) {
  StoreFlags store;
  std::string pipeline;
  RootFlags roots;
  std::string format;
  FlagSet flags(
      "metadata latest TYPE --pipeline=NAME [flags]",
      "Prints the newest usable artifact of TYPE, the one a warm start would "
      "choose.\nExit status: 0 found, 3 there is none, 2 wrong usage.",
      "rekindle metadata latest Model --pipeline=penguin -o json | jq -r .uri");
  flags.String("pipeline", "NAME", &pipeline, "the pipeline; required");
  roots.Bind(flags,
             "only what a step with this root would take; without it and "
             "--artifact-root, wherever it is");
  flags.Format(kOutputFormats, &format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"TYPE"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         if (pipeline.empty()) {
           return absl::InvalidArgumentError(
               "--pipeline is missing; it names the pipeline to look in");
         }
         ResolveQuery query;
         query.type_name = positional[0];
         query.ref.form = ArtifactRef::Latest{};
         query.pipeline = pipeline;
         query.files.roots = roots.Given() ? roots.RootsOf(pipeline)
                                           : ArtifactRoots::Anywhere();
         RK_ASSIGN_OR_RETURN(const Resolution resolution,
                             Resolve(query, opened.metadata()));
         if (resolution.chosen.empty()) {
           return NothingUsable(pipeline, positional[0], resolution);
         }
         std::cout << Render(ToJson(resolution.chosen.front()), format);
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle
