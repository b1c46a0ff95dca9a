#include "metadata/server/access/call_gate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <google/protobuf/message.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "metadata/server/access/access_table.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/access/call_summary.h"
#include "metadata/server/access/role.h"
#include "metadata/server/call_metrics.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ::google::protobuf::Message;
using ::nlohmann::ordered_json;

constexpr int kRefusalsASecond = 50;

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

}  // namespace

// One line of the log.
struct CallGate::Record {
  absl::Time begin;
  const Caller& caller;
  absl::string_view transport;
  absl::string_view call;
  const Message* request = nullptr;
  const Message* response = nullptr;
  absl::StatusCode code = absl::StatusCode::kOk;
  // Refusals that have no line of their own.
  int64_t left_out = 0;
};

void AdmittedCall::End(const Message* request, const Message* response,
                       const absl::Status& status) {
  if (!IsAudited(*FindCallRight(call_))) return;
  gate_.Write({.begin = begin_,
               .caller = caller_,
               .transport = transport_,
               .call = call_,
               .request = request,
               .response = status.ok() ? response : nullptr,
               .code = status.code()});
}

absl::StatusOr<AdmittedCall> CallGate::Enter(const Credentials& shown,
                                             absl::string_view transport,
                                             absl::string_view call) {
  const absl::Time begin = clock_.Now();
  Decision decision = authorizer_->Decide(shown, call);
  if (decision.status.ok()) {
    return AdmittedCall(*this, std::move(decision.caller), transport, call,
                        begin);
  }
  NoteRefusal({.begin = begin,
               .caller = decision.caller,
               .transport = transport,
               .call = call,
               .code = decision.status.code()});
  return decision.status;
}

void CallGate::Write(const Record& record) {
  if (audit_ == nullptr) return;
  audit_->Append(LineOf(record));
}

std::string CallGate::LineOf(const Record& record) const {
  ordered_json line;
  line["time"] = TimeText(record.begin);
  line["who"] = record.caller.name;
  line["role"] = record.caller.role.has_value()
                     ? std::string(RoleName(*record.caller.role))
                     : "";
  line["from"] = record.caller.address;
  line["by"] = std::string(record.transport);
  line["call"] = std::string(record.call);
  if (record.request != nullptr) {
    line["what"] = SummarizeMessage(*record.request);
  }
  if (record.response != nullptr) {
    line["answer"] = SummarizeMessage(*record.response);
  }
  line["outcome"] = absl::StatusCodeToString(record.code);
  line["millis"] = absl::ToDoubleMilliseconds(clock_.Now() - record.begin);
  if (record.left_out > 0) line["refusals_left_out"] = record.left_out;
  // Names and URIs may hold any bytes.
  return line.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/true,
                   ordered_json::error_handler_t::replace);
}

void CallGate::NoteRefusal(const Record& record) {
  {
    const absl::MutexLock lock(&mutex_);
    ++refused_[record.code];
  }
  const std::optional<int64_t> left_out = MayWriteRefusal(record.begin);
  if (!left_out.has_value() || audit_ == nullptr) return;
  Record written = record;
  written.left_out = *left_out;
  audit_->AppendLater(LineOf(written));
}

std::optional<int64_t> CallGate::MayWriteRefusal(absl::Time now) {
  const absl::MutexLock lock(&mutex_);
  const absl::Duration since = now - second_;
  if (since >= absl::Seconds(1) || since < absl::ZeroDuration()) {
    second_ = now;
    in_second_ = 0;
  }
  if (++in_second_ > kRefusalsASecond) {
    ++left_out_;
    return std::nullopt;
  }
  return std::exchange(left_out_, 0);
}

int64_t CallGate::refused(absl::StatusCode code) const {
  const absl::MutexLock lock(&mutex_);
  const auto found = refused_.find(code);
  return found == refused_.end() ? 0 : found->second;
}

void CallGate::PublishMetrics(CallMetrics& metrics) const {
  metrics.Publish("rekindle_calls_unauthenticated_total", "counter",
                  "Calls refused because nobody knows who sent them.", [this] {
                    return refused(absl::StatusCode::kUnauthenticated);
                  });
  metrics.Publish("rekindle_calls_forbidden_total", "counter",
                  "Calls refused because their sender may not.", [this] {
                    return refused(absl::StatusCode::kPermissionDenied);
                  });
  metrics.Publish("rekindle_audit_lines_lost_total", "counter",
                  "Lines that the audit log could not take.",
                  [this] { return audit_ == nullptr ? 0 : audit_->lost(); });
  metrics.Publish("rekindle_token_file_in_force", "gauge",
                  "0 while the token file cannot be read and what it said "
                  "before holds.",
                  [this] { return authorizer_->token_file_state().ok(); });
}

}  // namespace rekindle
