#include "component/launch/output_paths.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/digest.h"
#include "base/file_util.h"

namespace rekindle {
namespace {

constexpr absl::string_view kStaging = ".staging-";

}  // namespace

OutputPaths::OutputPaths(absl::string_view pipeline_root,
                         absl::string_view node_id, absl::string_view store_id)
    : node_dir_(NodeDirOf(pipeline_root, node_id)), store_id_(store_id) {}

std::string NodeDirOf(absl::string_view pipeline_root,
                      absl::string_view node_id) {
  return JoinPath(pipeline_root, node_id);
}

std::string OutputPaths::KeyDir(absl::string_view key) const {
  return JoinPath(node_dir_, key);
}

std::string OutputPaths::Final(absl::string_view key,
                               int64_t execution_id) const {
  return absl::StrCat(KeyDir(key), "/", execution_id);
}

std::string OutputPaths::OwnFinal(absl::string_view key, int64_t execution_id,
                                  int64_t token) const {
  return absl::StrCat(Final(key, execution_id), "-", token, "-", store_id_);
}

std::string OutputPaths::Staging(absl::string_view key, int64_t execution_id,
                                 int64_t token) const {
  return absl::StrCat(KeyDir(key), "/", kStaging, execution_id, "-", token, "-",
                      store_id_);
}

std::string OutputPaths::ExecutionDir(int64_t execution_id) const {
  return absl::StrCat(node_dir_, "/.system/executor_execution/", execution_id,
                      "-", store_id_);
}

std::string OutputPaths::AttemptDir(int64_t execution_id, int64_t token) const {
  return absl::StrCat(ExecutionDir(execution_id), "/attempt-", token);
}

std::string OutputPaths::StatesDir() const {
  return JoinPath(node_dir_, ".system/stateful_working_dir");
}

// With the id: a deleted execution's state is not for the next of its name.
std::string OutputPaths::StateDir(absl::string_view external_id,
                                  int64_t execution_id) const {
  Sha256 hash;
  hash.UpdateField(external_id);
  hash.UpdateField(absl::StrCat(execution_id));
  hash.UpdateField(store_id_);
  return JoinPath(StatesDir(), hash.HexDigest());
}

std::string OutputPaths::StateDir(absl::string_view external_id,
                                  int64_t execution_id,
                                  absl::string_view work_key) const {
  return JoinPath(StateDir(external_id, execution_id), work_key);
}

std::optional<Leftover> ParseLeftoverName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kStaging)) return std::nullopt;
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '-');
  Leftover leftover;
  if (parts.size() != 3 || parts[2].empty() ||
      !absl::SimpleAtoi(parts[0], &leftover.execution_id) ||
      !absl::SimpleAtoi(parts[1], &leftover.token)) {
    return std::nullopt;
  }
  leftover.store_id = std::string(parts[2]);
  return leftover;
}

}  // namespace rekindle
