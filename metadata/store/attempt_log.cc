#include "metadata/store/attempt_log.h"

#include <algorithm>

#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

using Json = nlohmann::json;

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

void AttemptLog::Start(int64_t number, absl::string_view owner,
                       int64_t now_millis) {
  if (!attempts_.empty() && !attempts_.back().contains("state")) {
    End("LOST", "its lease ended", now_millis);
  }
  attempts_.push_back({{"attempt", number},
                       {"owner", std::string(owner)},
                       {"start_millis", now_millis}});
}

void AttemptLog::End(absl::string_view state, absl::string_view reason,
                     int64_t now_millis) {
  if (attempts_.empty()) return;
  Json& attempt = attempts_.back();
  attempt["end_millis"] = now_millis;
  attempt["state"] = std::string(state);
  if (!reason.empty()) attempt["reason"] = std::string(reason);
}

// Owner and reason may hold any bytes; JSON may not.
std::string AttemptLog::ToJson() const {
  return attempts_.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rekindle
