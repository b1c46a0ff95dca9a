// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_ACCESS_CALL_GATE_H_
#define REKINDLE_METADATA_SERVER_ACCESS_CALL_GATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <google/protobuf/message.h>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/server/access/audit_log.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/call_metrics.h"

namespace rekindle {

class CallGate;

// A call that was let in. To be ended, once, by whoever let it in.
class AdmittedCall {
 public:
  const Caller& caller() const { return caller_; }

  // Records what became of it, if it is one that the audit log has. `request`
  // and `response` say what it was about; null if that is not known.
  void End(const google::protobuf::Message* request,
           const google::protobuf::Message* response,
           const absl::Status& status);

 private:
  friend class CallGate;
  AdmittedCall(CallGate& gate, Caller caller, absl::string_view transport,
               absl::string_view call, absl::Time begin)
      : gate_(gate),
        caller_(std::move(caller)),
        transport_(transport),
        call_(call),
        begin_(begin) {}

  CallGate& gate_;
  const Caller caller_;
  const absl::string_view transport_;
  const absl::string_view call_;
  const absl::Time begin_;
};

// What stands in front of every call, whichever way it came: lets it in or
// refuses it, and writes the audit log. Thread-safe.
class CallGate {
 public:
  // Without an `audit` log nothing is written. `clock` is not owned and must
  // outlive this.
  CallGate(std::unique_ptr<Authorizer> authorizer,
           std::unique_ptr<AuditLog> audit, const Clock& clock)
      : authorizer_(std::move(authorizer)),
        audit_(std::move(audit)),
        clock_(clock) {}

  // Whether who shows this may call that. `transport` is "grpc" or "http" and
  // `call` a name of the access table; both must outlive what is returned.
  //
  //   UNAUTHENTICATED, PERMISSION_DENIED  as Authorizer; it will be on record,
  //                                       which is not waited for
  absl::StatusOr<AdmittedCall> Enter(const Credentials& shown,
                                     absl::string_view transport,
                                     absl::string_view call);

  // Adds what it counts to `metrics`, which must not be asked for them when
  // this is gone.
  void PublishMetrics(CallMetrics& metrics) const;

 private:
  friend class AdmittedCall;

  int64_t refused(absl::StatusCode code) const;

  struct Record;
  std::string LineOf(const Record& record) const;
  void Write(const Record& record);
  void NoteRefusal(const Record& record);
  // How many refusals were left out before this one; nullopt if this one is.
  std::optional<int64_t> MayWriteRefusal(absl::Time now);

  const std::unique_ptr<Authorizer> authorizer_;
  const std::unique_ptr<AuditLog> audit_;
  const Clock& clock_;

  mutable absl::Mutex mutex_;
  std::map<absl::StatusCode, int64_t> refused_ ABSL_GUARDED_BY(mutex_);
  // Whoever is refused could fill the disk with it: so many lines a second.
  absl::Time second_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int in_second_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t left_out_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCESS_CALL_GATE_H_
