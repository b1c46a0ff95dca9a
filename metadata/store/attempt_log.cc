#include "metadata/store/attempt_log.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

using Json = nlohmann::json;

constexpr char kLauncherLost[] = "LAUNCHER_LOST";

bool IsAttempt(const Json& entry) {
  return entry.is_object() && entry.contains("attempt") &&
         entry["attempt"].is_number_integer();
}

}  // namespace

AttemptLog::AttemptLog(absl::string_view json) : attempts_(Json::array()) {
  Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_array()) return;
  if (std::all_of(parsed.begin(), parsed.end(), IsAttempt)) attempts_ = parsed;
}

int64_t AttemptLog::last() const {
  return attempts_.empty() ? 0 : attempts_.back()["attempt"].get<int64_t>();
}

std::string AttemptLog::last_owner() const {
  if (attempts_.empty() || !attempts_.back().contains("owner")) return "";
  const Json& owner = attempts_.back()["owner"];
  return owner.is_string() ? owner.get<std::string>() : "";
}

std::optional<int64_t> AttemptLog::last_lease_millis() const {
  if (attempts_.empty() || !attempts_.back().contains("lease_millis")) {
    return std::nullopt;
  }
  const Json& lease = attempts_.back()["lease_millis"];
  if (!lease.is_number_integer()) return std::nullopt;
  return lease.get<int64_t>();
}

void AttemptLog::Start(int64_t number, const Claimant& claimant,
                       const Cause& of_lost, int64_t now_millis) {
  if (!attempts_.empty() && !attempts_.back().contains("state")) {
    Cause cause = of_lost;
    if (cause.reason.empty()) cause.reason = "its lease ended";
    if (cause.failure_reason.empty()) cause.failure_reason = kLauncherLost;
    End("LOST", cause, now_millis);
  }
  Json& attempt =
      attempts_.emplace_back(Json{{"attempt", number},
                                  {"owner", claimant.owner},
                                  {"lease_millis", claimant.lease_millis},
                                  {"start_millis", now_millis}});
  if (!claimant.node_dir.empty()) attempt["node_dir"] = claimant.node_dir;
  if (!claimant.store_id.empty()) attempt["store_id"] = claimant.store_id;
}

void AttemptLog::End(absl::string_view state, const Cause& cause,
                     int64_t now_millis) {
  if (attempts_.empty()) return;
  Json& attempt = attempts_.back();
  attempt["end_millis"] = now_millis;
  attempt["state"] = std::string(state);
  if (!cause.failure_reason.empty()) {
    attempt["failure_reason"] = cause.failure_reason;
  }
  if (!cause.reason.empty()) attempt["reason"] = cause.reason;
}

// Owner and reason may hold any bytes; JSON may not.
std::string AttemptLog::ToJson() const {
  return attempts_.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rekindle
