#include "cli/root_flags.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "cli/flag_set.h"
#include "component/resolve/artifact_roots.h"

namespace rekindle {

void RootFlags::Bind(FlagSet& flags, const std::string& help) {
  flags.String("pipeline-root", "DIR", &pipeline_root, help);
  flags.Strings("artifact-root", "DIR[:DIR...]", &artifact_roots,
                "a folder beside the pipeline root from below which artifacts "
                "are taken");
}

bool RootFlags::Given() const {
  return !pipeline_root.empty() || !artifact_roots.empty();
}

std::string RootFlags::PipelineRoot(const std::string& pipeline) const {
  const std::string by_default =
      pipeline.empty() ? "pipelines" : JoinPath("pipelines", pipeline);
  return std::filesystem::absolute(pipeline_root.empty() ? by_default
                                                         : pipeline_root);
}

std::vector<std::string> RootFlags::ArtifactRootFolders() const {
  std::vector<std::string> folders;
  for (const std::string& value : artifact_roots) {
    for (const absl::string_view folder :
         absl::StrSplit(value, ':', absl::SkipEmpty())) {
      folders.push_back(std::filesystem::absolute(std::string(folder)));
    }
  }
  return folders;
}

ArtifactRoots RootFlags::RootsOf(const std::string& pipeline) const {
  return {PipelineRoot(pipeline), ArtifactRootFolders()};
}

}  // namespace rekindle
