#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/store_command.h"
#include "cli/output.h"
#include "cli/statistics/statistics_page.h"
#include "cli/statistics/statistics_table.h"
#include "cli/step_flags.h"
#include "cli/store_flags.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/artifact_roots.h"
#include "component/resolve/resolver.h"
#include "component/steps/split_statistics.h"
#include "component/steps/splits.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

constexpr char kTypeName[] = "ExampleStatistics";

absl::StatusOr<ml_metadata::Artifact> FindStatistics(
    const ResolveQuery& query, const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const Resolution resolution, Resolve(query, store));
  RK_RETURN_IF_ERROR(resolution.refusal);
  if (!resolution.chosen.empty()) return resolution.chosen.front();
  return absl::NotFoundError(
      absl::StrCat("pipeline '", query.pipeline, "' has no usable ", kTypeName,
                   "; 'rekindle statistics-gen' makes one"));
}

absl::StatusOr<std::vector<SplitStatistics>> ReadSplits(
    const ml_metadata::Artifact& artifact) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      SplitNames(artifact));
  std::vector<SplitStatistics> splits;
  for (const std::string& name : names) {
    RK_ASSIGN_OR_RETURN(SplitStatistics split, ReadStatistics(artifact, name));
    splits.push_back(std::move(split));
  }
  return splits;
}

std::string RenderStatistics(const std::string& title,
                             const std::vector<SplitStatistics>& splits,
                             const std::string& format) {
  if (format == "html") return ToStatisticsPage(title, splits);
  if (format == "table") return ToStatisticsTable(splits);
  return ToJsonText(ToStatisticsJson(splits));
}

}  // namespace

int StatisticsShowCommand(const Arguments& arguments) {
  StoreFlags store;
  ResolveQuery query;
  query.type_name = kTypeName;
  query.files.roots = ArtifactRoots::Anywhere();
  std::string format;
  FlagSet flags("statistics show [REF] [--pipeline=NAME] [flags]",
                absl::StrCat("Prints what 'statistics-gen' found: a table for "
                             "each split, or a page for a browser.\nREF is ",
                             kArtifactRefForms,
                             "; without it, the latest.\nExit status: 0 found, "
                             "3 there is none, 2 wrong usage."),
                "rekindle statistics show --pipeline=penguin -o html "
                ">statistics.html");
  flags.String("pipeline", "NAME", &query.pipeline,
               "the pipeline to look in; not needed with id:N");
  flags.String("run-id", "ID", &query.run_id,
               "the run that run:NODE.KEY is of");
  flags.Format({"table", "json", "html"}, &format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"[REF]"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         RK_ASSIGN_OR_RETURN(
             query.ref,
             RefFromFlag("REF", positional.empty() ? "latest" : positional[0]));
         RK_ASSIGN_OR_RETURN(const ml_metadata::Artifact artifact,
                             FindStatistics(query, opened.metadata()));
         RK_ASSIGN_OR_RETURN(const std::vector<SplitStatistics> splits,
                             ReadSplits(artifact));
         const std::string title =
             absl::StrCat("Statistics ", artifact.id(), " at ", artifact.uri());
         std::cout << RenderStatistics(title, splits, format);
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle
