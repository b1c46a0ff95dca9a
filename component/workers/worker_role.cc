#include "component/workers/worker_role.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using nlohmann::json;

constexpr char kChief[] = "chief";
constexpr char kMaster[] = "master";  // what the chief was once called
constexpr char kWorker[] = "worker";
constexpr char kEvaluator[] = "evaluator";  // not always listed in the cluster

template <typename... Parts>
absl::Status Malformed(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("TF_CONFIG: ", parts...));
}

absl::StatusOr<json> ParseObject(const std::string& text) {
  json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return Malformed("it is not JSON");
  if (parsed.is_object()) return parsed;
  return Malformed("it is a JSON ", parsed.type_name(),
                   ", expected an object with \"cluster\" and \"task\"");
}

// The object under `key`; an empty one if there is none.
absl::StatusOr<json> ObjectAt(const json& parent, const std::string& key) {
  const auto found = parent.find(key);
  if (found == parent.end() || found->is_null()) return json::object();
  if (found->is_object()) return *found;
  return Malformed("\"", key, "\" is a JSON ", found->type_name(),
                   ", expected an object");
}

absl::Status CheckType(const std::string& type) {
  const std::vector<std::string> known = {kChief, kMaster, kWorker, "ps",
                                          kEvaluator};
  if (std::ranges::find(known, type) != known.end()) return absl::OkStatus();
  const std::optional<std::string> nearest = NearestName(type, known);
  return Malformed(
      "there is no role \"", type, "\"; ",
      nearest ? absl::StrCat("did you mean \"", *nearest, "\"?")
              : absl::StrCat("there are ", absl::StrJoin(known, ", ")));
}

// Every role has its addresses: a list, or an object by index.
absl::Status CheckCluster(const json& cluster) {
  for (const auto& [type, addresses] : cluster.items()) {
    RK_RETURN_IF_ERROR(CheckType(type));
    if (addresses.is_structured() && !addresses.empty()) continue;
    return Malformed("\"", type, "\" of the cluster is ", addresses.dump(),
                     ", expected a list of \"host:port\"");
  }
  if (cluster.contains(kChief) && cluster[kChief].size() > 1) {
    return Malformed("there are ", cluster[kChief].size(),
                     " chiefs, expected one");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TypeOf(const json& task) {
  const auto type = task.find("type");
  if (type == task.end()) {
    return Malformed("there is a cluster, but the task has no \"type\"");
  }
  if (!type->is_string()) {
    return Malformed("the task's \"type\" is ", type->dump(),
                     ", expected a role as \"worker\"");
  }
  RK_RETURN_IF_ERROR(CheckType(type->get<std::string>()));
  return type->get<std::string>();
}

// A number, or, which TensorFlow takes too, one in quotes.
absl::StatusOr<int64_t> IndexOf(const json& task) {
  const auto index = task.find("index");
  if (index == task.end()) return Malformed("the task has no \"index\"");
  int64_t number = -1;
  if (index->is_number_integer()) number = index->get<int64_t>();
  if (index->is_string() &&
      !absl::SimpleAtoi(index->get<std::string>(), &number)) {
    number = -1;
  }
  if (number >= 0) return number;
  return Malformed("the task's \"index\" is ", index->dump(),
                   ", expected a number from 0");
}

bool IsListed(const WorkerRole& role, const json& cluster) {
  const auto addresses = cluster.find(role.type);
  if (addresses == cluster.end()) return false;
  return addresses->is_object()
             ? addresses->contains(std::to_string(role.index))
             : role.index < static_cast<int64_t>(addresses->size());
}

absl::Status CheckListed(const WorkerRole& role, const json& cluster) {
  if (role.type == kEvaluator && !cluster.contains(kEvaluator)) {
    return absl::OkStatus();
  }
  if (IsListed(role, cluster)) return absl::OkStatus();
  return Malformed("the task is ", role.Name(),
                   ", which the cluster does not list; it has ",
                   cluster.contains(role.type) ? cluster[role.type].size() : 0,
                   " of that role, counted from 0");
}

bool IsChief(const WorkerRole& role, const json& cluster) {
  if (role.type == kChief) return true;
  if (role.type == kMaster) return role.index == 0;
  return role.type == kWorker && role.index == 0 && !cluster.contains(kChief) &&
         !cluster.contains(kMaster);
}

}  // namespace

std::string WorkerRole::Name() const { return absl::StrCat(type, " ", index); }

absl::StatusOr<WorkerRole> ParseWorkerRole(const std::string& tf_config) {
  if (tf_config.empty()) return WorkerRole{};
  RK_ASSIGN_OR_RETURN(const json config, ParseObject(tf_config));
  RK_ASSIGN_OR_RETURN(const json cluster, ObjectAt(config, "cluster"));
  if (cluster.empty()) return WorkerRole{};
  RK_RETURN_IF_ERROR(CheckCluster(cluster));
  RK_ASSIGN_OR_RETURN(const json task, ObjectAt(config, "task"));

  WorkerRole role;
  role.alone = false;
  RK_ASSIGN_OR_RETURN(role.type, TypeOf(task));
  RK_ASSIGN_OR_RETURN(role.index, IndexOf(task));
  RK_RETURN_IF_ERROR(CheckListed(role, cluster));
  role.is_chief = IsChief(role, cluster);
  return role;
}

}  // namespace rekindle
