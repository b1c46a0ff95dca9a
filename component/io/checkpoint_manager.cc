#include "rekindle/training/checkpoint_manager.h"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "component/io/durable_file.h"
#include "component/io/tensor_bundle.h"
#include "tensorflow/cc/saved_model/constants.h"
#include "tensorflow/core/util/tensor_bundle/naming.h"

namespace rekindle {
namespace {

constexpr char kStateFile[] = "checkpoint";

// The quoted value of a text proto line `<key>: "<value>"`.
std::optional<std::string> QuotedValue(absl::string_view line,
                                       absl::string_view key) {
  if (!absl::ConsumePrefix(&line, key) || !absl::ConsumePrefix(&line, ": \"") ||
      !absl::ConsumeSuffix(&line, "\"")) {
    return std::nullopt;
  }
  return std::string(line);
}

bool HasTensors(const std::string& prefix) {
  std::error_code ignored;  // What cannot be looked at is not there.
  return std::filesystem::exists(tensorflow::MetaFilename(prefix), ignored);
}

}  // namespace

CheckpointManager::CheckpointManager(std::string folder, int64_t max_to_keep,
                                     std::string name)
    : folder_(std::move(folder)),
      max_to_keep_(max_to_keep),
      name_(std::move(name)) {}

std::string CheckpointManager::PrefixOf(int64_t step) const {
  return absl::StrCat(folder_, "/", name_, "-", step);
}

absl::Status CheckpointManager::Save(int64_t step,
                                     const NamedTensors& tensors) {
  RK_RETURN_IF_ERROR(Write(step, tensors));
  return MakeLatest(step);
}

absl::Status CheckpointManager::Write(int64_t step,
                                      const NamedTensors& tensors) const {
  RK_RETURN_IF_ERROR(MakeFolder(folder_));
  return WriteTensors(tensors, PrefixOf(step));
}

absl::Status CheckpointManager::MakeLatest(int64_t step) const {
  RK_ASSIGN_OR_RETURN(std::vector<std::string> names, Listed());
  const std::string name = absl::StrCat(name_, "-", step);
  std::erase(names, name);
  names.push_back(name);
  std::vector<std::string> surplus;
  while (static_cast<int64_t>(names.size()) > max_to_keep_) {
    surplus.push_back(names.front());
    names.erase(names.begin());
  }
  RK_RETURN_IF_ERROR(WriteState(names));
  for (const std::string& old : surplus) Remove(old);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> CheckpointManager::Latest() const {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> names, Listed());
  if (names.empty()) return std::nullopt;
  return (std::filesystem::path(folder_) / names.back()).string();
}

absl::StatusOr<std::vector<std::string>> CheckpointManager::Listed() const {
  const std::string path = absl::StrCat(folder_, "/", kStateFile);
  const absl::StatusOr<std::string> text = ReadWholeFile(path);
  if (absl::IsNotFound(text.status())) return std::vector<std::string>();
  RK_RETURN_IF_ERROR(text.status());

  std::vector<std::string> names;
  std::optional<std::string> latest;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (auto value = QuotedValue(line, "model_checkpoint_path")) latest = value;
    if (auto value = QuotedValue(line, "all_model_checkpoint_paths")) {
      names.push_back(*std::move(value));
    }
  }
  if (!latest.has_value()) {
    return absl::DataLossError(
        absl::StrCat("'", path, "' names no checkpoint"));
  }
  std::erase(names, *latest);
  names.push_back(*std::move(latest));
  return names;
}

absl::Status CheckpointManager::WriteState(
    const std::vector<std::string>& names) const {
  // Relative names: the folder may be moved as a whole.
  std::string text =
      absl::StrCat("model_checkpoint_path: \"", names.back(), "\"\n");
  for (const std::string& name : names) {
    absl::StrAppend(&text, "all_model_checkpoint_paths: \"", name, "\"\n");
  }
  return ReplaceFile(absl::StrCat(folder_, "/", kStateFile), text);
}

void CheckpointManager::Remove(const std::string& name) const {
  const std::string prefix = (std::filesystem::path(folder_) / name).string();
  std::error_code ignored;  // A file too many does no harm.
  std::filesystem::remove(tensorflow::MetaFilename(prefix), ignored);
  std::filesystem::remove(tensorflow::DataFilename(prefix, 0, 1), ignored);
}

absl::StatusOr<std::string> FindCheckpoint(const std::string& path) {
  if (HasTensors(path)) return path;
  RK_ASSIGN_OR_RETURN(const std::optional<std::string> latest,
                      CheckpointManager(path, /*max_to_keep=*/1).Latest());
  if (latest.has_value() && HasTensors(*latest)) return *latest;
  const std::string saved_model =
      absl::StrCat(path, "/", tensorflow::kSavedModelVariablesDirectory, "/",
                   tensorflow::kSavedModelVariablesFilename);
  if (HasTensors(saved_model)) return saved_model;
  if (latest.has_value()) {
    return absl::NotFoundError(absl::StrCat("'", path, "/", kStateFile,
                                            "' names the checkpoint '", *latest,
                                            "', which is not there"));
  }
  return absl::NotFoundError(absl::StrCat(
      "there is no checkpoint at '", path,
      "': expected a folder that holds one, or a path to which '.index' can be "
      "added"));
}

}  // namespace rekindle
