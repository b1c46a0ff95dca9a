#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/lineage_graph.h"
#include "cli/metadata/lineage_view.h"
#include "cli/metadata/store_command.h"
#include "cli/output.h"
#include "cli/store_flags.h"

namespace rekindle {
namespace {

constexpr int64_t kDefaultMaxHops = 100;

std::string Draw(const LineageView& view, const std::string& format) {
  if (format == "dot") return LineageToDot(view);
  if (format == "mermaid") return LineageToMermaid(view);
  if (format == "tree") return LineageToTree(view);
  return Render(LineageToJson(view), format);
}

}  // namespace

int MetadataLineageCommand(const Arguments& arguments) {
  StoreFlags store;
  bool downstream = false;
  std::optional<int64_t> max_hops;
  std::string format;
  FlagSet flags(
      "metadata lineage ID|execution:ID [flags]",
      "Shows what an artifact or an execution came from, or what came of it.",
      "rekindle metadata lineage 9 --format=dot | dot -Tsvg > lineage.svg");
  flags.Bool("downstream", &downstream, "what came of it instead");
  flags.OptionalInt("max-hops", "N", &max_hops,
                    "how far to follow; an artifact and its execution are one "
                    "apart (default: 100)");
  flags.Format({"tree", "dot", "mermaid", "json", "yaml"}, &format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"ID|execution:ID"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         if (max_hops.value_or(0) < 0) {
           return absl::InvalidArgumentError(
               absl::StrCat("--max-hops: ", *max_hops, " is below zero"));
         }
         RK_ASSIGN_OR_RETURN(const LineageRoot root,
                             ParseLineageRoot(positional[0]));
         RK_ASSIGN_OR_RETURN(
             const LineageView view,
             LoadLineage(root,
                         downstream ? LineageDirection::kDownstream
                                    : LineageDirection::kUpstream,
                         max_hops.value_or(kDefaultMaxHops),
                         opened.metadata()));
         std::cout << Draw(view, format);
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle
