#ifndef REKINDLE_CLI_ROOT_FLAGS_H_
#define REKINDLE_CLI_ROOT_FLAGS_H_

#include <string>
#include <vector>

#include "cli/flag_set.h"
#include "component/resolve/artifact_roots.h"

namespace rekindle {

// Where artifacts are kept, and from where else they are taken.
struct RootFlags {
  std::string pipeline_root;
  std::vector<std::string> artifact_roots;

  // `help` says what the pipeline root is to the command.
  void Bind(FlagSet& flags, const std::string& help);

  // Whether the user named any folder.
  bool Given() const;

  // An absolute path: the flag's, else that of the pipeline, else that of all
  // pipelines.
  std::string PipelineRoot(const std::string& pipeline) const;
  // Those that --artifact-root adds: a value names one folder, or several with
  // colons between, as REKINDLE_ARTIFACT_ROOT may.
  std::vector<std::string> ArtifactRootFolders() const;

  ArtifactRoots RootsOf(const std::string& pipeline) const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_ROOT_FLAGS_H_
