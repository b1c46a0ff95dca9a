#include "component/strategies/tf_config.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/strategies/host_port.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ::nlohmann::json;

template <typename... Parts>
absl::Status Malformed(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("TF_CONFIG: ", parts...));
}

// Why a role that TensorFlow knows cannot be had here; empty for one that can.
std::string WhyRefused(const std::string& role) {
  if (role == "ps") {
    return "parameter servers are not supported; list the machines as "
           "\"worker\", every one of which then trains";
  }
  if (role == "master") return "it is called \"chief\"";
  return "";
}

absl::Status CheckRole(const std::string& role) {
  const std::string refused = WhyRefused(role);
  if (!refused.empty()) {
    return Malformed("the role \"", role, "\" is refused: ", refused);
  }
  const std::vector<std::string> known = {"chief", "worker", "evaluator"};
  if (std::ranges::find(known, role) != known.end()) return absl::OkStatus();
  const std::optional<std::string> nearest = NearestName(role, known);
  return Malformed("there is no role \"", role, "\"; ",
                   nearest ? absl::StrCat("did you mean \"", *nearest, "\"?")
                           : "there are \"chief\" and \"worker\"");
}

absl::StatusOr<json> ParseObject(const std::string& text) {
  json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return Malformed("it is not JSON");
  if (!parsed.is_object()) {
    return Malformed("it is a JSON ", parsed.type_name(),
                     ", expected an object with \"cluster\" and \"task\"");
  }
  return parsed;
}

absl::StatusOr<json> ObjectAt(const json& parent, const std::string& key) {
  const auto found = parent.find(key);
  if (found == parent.end()) return Malformed("\"", key, "\" is missing");
  if (found->is_object()) return *found;
  return Malformed("\"", key, "\" is a JSON ", found->type_name(),
                   ", expected an object");
}

absl::StatusOr<std::string> AddressIn(const json& entry,
                                      const std::string& role) {
  if (!entry.is_string()) {
    return Malformed("an address of \"", role, "\" is ", entry.dump(),
                     ", expected \"host:port\"");
  }
  const auto address = entry.get<std::string>();
  const absl::StatusOr<HostPort> parts = SplitHostPort(address);
  if (parts.ok()) return address;
  return Malformed("an address of \"", role, "\": ", parts.status().message());
}

// The addresses of a role; none if the cluster does not have it.
absl::StatusOr<std::vector<std::string>> AddressesOf(const json& cluster,
                                                     const std::string& role) {
  std::vector<std::string> addresses;
  const auto found = cluster.find(role);
  if (found == cluster.end()) return addresses;
  if (!found->is_array() || found->empty()) {
    return Malformed("\"", role, "\" of the cluster is ", found->dump(),
                     ", expected a list of \"host:port\"");
  }
  for (const json& entry : *found) {
    RK_ASSIGN_OR_RETURN(addresses.emplace_back(), AddressIn(entry, role));
  }
  return addresses;
}

absl::Status CheckDistinct(const std::vector<std::string>& addresses) {
  std::set<std::string> seen;
  for (const std::string& address : addresses) {
    if (seen.insert(address).second) continue;
    return Malformed("the address \"", address, "\" occurs twice");
  }
  return absl::OkStatus();
}

// The addresses of a cluster's trainers, by role.
struct Roles {
  std::vector<std::string> chief;
  std::vector<std::string> worker;
};

absl::StatusOr<Roles> ReadRoles(const json& cluster) {
  for (const auto& [role, addresses] : cluster.items()) {
    RK_RETURN_IF_ERROR(CheckRole(role));
  }
  Roles roles;
  RK_ASSIGN_OR_RETURN(roles.chief, AddressesOf(cluster, "chief"));
  RK_ASSIGN_OR_RETURN(roles.worker, AddressesOf(cluster, "worker"));
  if (roles.chief.size() > 1) {
    return Malformed("there are ", roles.chief.size(),
                     " chiefs, expected at most one");
  }
  if (roles.chief.empty() && roles.worker.empty()) {
    return Malformed("the cluster has no \"worker\"");
  }
  return roles;
}

absl::StatusOr<std::string> TypeOf(const json& task) {
  const auto type = task.find("type");
  if (type == task.end()) return Malformed("the task has no \"type\"");
  if (!type->is_string()) {
    return Malformed("the task's \"type\" is ", type->dump(),
                     ", expected \"chief\" or \"worker\"");
  }
  return type->get<std::string>();
}

absl::StatusOr<int> IndexOf(const json& task, const std::string& type,
                            size_t size) {
  const auto index = task.find("index");
  if (index == task.end()) return Malformed("the task has no \"index\"");
  if (index->is_number_integer() && *index >= 0 && *index < size) {
    return index->get<int>();
  }
  return Malformed("the task's \"index\" is ", index->dump(), ", but \"", type,
                   "\" of the cluster has ", size,
                   size == 1 ? " address" : " addresses", ", counted from 0");
}

// Which worker of the whole job the task is.
absl::StatusOr<int> WorkerOf(const json& task, const Roles& roles) {
  RK_ASSIGN_OR_RETURN(const std::string type, TypeOf(task));
  RK_RETURN_IF_ERROR(CheckRole(type));
  if (type == "evaluator") {
    return Malformed(
        "the task is an \"evaluator\", which takes no part in training; start "
        "it without TF_CONFIG, with --mode=continuous_eval");
  }
  const bool is_chief = type == "chief";
  RK_ASSIGN_OR_RETURN(
      const int index,
      IndexOf(task, type, (is_chief ? roles.chief : roles.worker).size()));
  return is_chief ? index : static_cast<int>(roles.chief.size()) + index;
}

}  // namespace

absl::StatusOr<Cluster> ParseTfConfig(const std::string& text) {
  if (text.empty()) return Cluster{};
  RK_ASSIGN_OR_RETURN(const json config, ParseObject(text));
  if (config.empty()) return Cluster{};
  RK_ASSIGN_OR_RETURN(const json addresses, ObjectAt(config, "cluster"));
  if (addresses.empty()) return Cluster{};
  RK_ASSIGN_OR_RETURN(const json task, ObjectAt(config, "task"));
  RK_ASSIGN_OR_RETURN(const Roles roles, ReadRoles(addresses));

  Cluster cluster{.workers = roles.chief};
  cluster.workers.insert(cluster.workers.end(), roles.worker.begin(),
                         roles.worker.end());
  RK_RETURN_IF_ERROR(CheckDistinct(cluster.workers));
  RK_ASSIGN_OR_RETURN(cluster.worker, WorkerOf(task, roles));
  return cluster;
}

std::string MakeTfConfig(const Cluster& cluster) {
  return json{{"cluster", {{"worker", cluster.workers}}},
              {"task", {{"type", "worker"}, {"index", cluster.worker}}}}
      .dump();
}

}  // namespace rekindle
