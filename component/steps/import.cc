#include "component/steps/import.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "base/path_fence.h"
#include "base/status_macros.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_roots.h"
#include "component/resolve/digest_check.h"
#include "component/steps/proto_json.h"
#include "component/steps/typed_values.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

using ml_metadata::Artifact;

constexpr char kOutputKey[] = "result";

// An absolute path for what the user wrote, which may be a file: URL.
absl::StatusOr<std::string> LocalPath(const std::string& uri) {
  absl::string_view path = uri;
  absl::ConsumePrefix(&path, "file://");
  if (path.empty()) {
    return absl::InvalidArgumentError(
        "--uri is missing; it names the file or folder to import");
  }
  if (const size_t scheme = path.find("://");
      scheme != absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--uri=", uri, ": ", path.substr(0, scheme + 3),
        " is not understood; artifacts live on a path of this machine, such as "
        "a mounted volume"));
  }
  const std::string absolute =
      fs::absolute(std::string(path)).lexically_normal();
  // Without the slash behind a folder's name: one place, one spelling.
  std::string trimmed(absl::StripSuffix(absolute, "/"));
  if (PathExists(trimmed)) return trimmed;
  return absl::NotFoundError(
      absl::StrCat("there is no file or folder ", trimmed, " to import"));
}

// The splits that are there, `train` first as TFX has it.
std::vector<std::string> SplitsIn(const std::string& folder) {
  std::vector<std::string> splits;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    absl::string_view split = name;
    if (entry.is_directory() && absl::ConsumePrefix(&split, "Split-")) {
      splits.emplace_back(split);
    }
  }
  std::sort(splits.begin(), splits.end());
  std::stable_partition(splits.begin(), splits.end(),
                        [](const auto& split) { return split == "train"; });
  return splits;
}

absl::StatusOr<PropertyMap> DeclaredProperties(const ImportOptions& options) {
  PropertyMap properties;
  for (const auto& [name, text] : options.properties) {
    RK_ASSIGN_OR_RETURN(properties[name],
                        AsDeclared(options.type, name, ValueByLooks(text)));
  }
  constexpr char kSplitNames[] = "split_names";
  if (options.type.name() == "Examples" && !properties.contains(kSplitNames)) {
    const std::vector<std::string> splits = SplitsIn(options.uri);
    if (!splits.empty()) {
      properties[kSplitNames] = StringValue(ToPythonJson(splits));
    }
  }
  return properties;
}

template <typename Stored>
bool HoldsAll(const PropertyMap& wanted, const Stored& stored) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& property) {
    const auto found = stored.find(property.first);
    return found != stored.end() &&
           ValueToText(found->second) == ValueToText(property.second);
  });
}

class Import : public Executor {
 public:
  Import(ImportOptions options, std::string pipeline_root,
         PropertyMap properties, TreeDigest digest)
      : options_(std::move(options)),
        pipeline_root_(std::move(pipeline_root)),
        digest_(std::move(digest)) {
    output_.properties = std::move(properties);
    for (const auto& [name, text] : options_.custom_properties) {
      output_.custom_properties[name] = ValueByLooks(text);
    }
    output_.external.set_uri(options_.uri);
    if (!options_.name.empty()) output_.external.set_name(options_.name);
  }

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    // Before it is recorded: what is recorded can be used.
    RK_RETURN_IF_ERROR(NoteImport(pipeline_root_, options_.uri));
    StepResult::Output output = output_;
    if (!options_.reimport) {
      RK_ASSIGN_OR_RETURN(const std::optional<Artifact> known,
                          FindImported(*context.metadata));
      if (known.has_value()) output.external = *known;
    }
    StepResult result;
    result.outputs[kOutputKey] = std::move(output);
    return result;
  }

 private:
  // The newest artifact that is what would be imported now.
  absl::StatusOr<std::optional<Artifact>> FindImported(
      const MetadataStore& store) const {
    ml_metadata::GetArtifactsByURIRequest request;
    request.add_uris(options_.uri);
    RK_ASSIGN_OR_RETURN(const auto response, store.GetArtifactsByURI(request));
    std::optional<Artifact> newest;
    for (const Artifact& artifact : response.artifacts()) {
      if (IsTheSame(artifact) &&
          (!newest.has_value() || artifact.id() > newest->id())) {
        newest = artifact;
      }
    }
    return newest;
  }

  bool IsTheSame(const Artifact& artifact) const {
    return artifact.type() == options_.type.name() &&
           artifact.state() == Artifact::LIVE &&
           artifact.name() == options_.name &&
           CustomString(artifact, kDigestProperty) == digest_.digest &&
           HoldsAll(output_.properties, artifact.properties()) &&
           HoldsAll(output_.custom_properties, artifact.custom_properties());
  }

  const ImportOptions options_;
  const std::string pipeline_root_;
  const TreeDigest digest_;
  StepResult::Output output_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeImport(ImportOptions options,
                                                     StepSpec& spec) {
  RK_ASSIGN_OR_RETURN(options.uri, LocalPath(options.uri));
  RK_ASSIGN_OR_RETURN(PropertyMap properties, DeclaredProperties(options));
  RK_ASSIGN_OR_RETURN(
      const PathFence fence,
      spec.Files().roots.And(options.uri).FenceFor(options.uri));
  RK_ASSIGN_OR_RETURN(TreeDigest digest, DigestTree(options.uri, fence));
  spec.execution_type = ImporterType();
  spec.outputs = {{.key = kOutputKey, .type = options.type, .external = true}};
  spec.parameters = {{"artifact_uri", StringValue(options.uri)},
                     {"reimport", IntValue(options.reimport ? 1 : 0)},
                     {"output_key", StringValue(kOutputKey)}};
  return std::make_unique<Import>(std::move(options), spec.pipeline_root,
                                  std::move(properties), std::move(digest));
}

}  // namespace rekindle
