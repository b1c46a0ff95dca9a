// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_ACCESS_AUTHORIZER_H_
#define REKINDLE_METADATA_SERVER_ACCESS_AUTHORIZER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "metadata/server/access/access_table.h"
#include "metadata/server/access/role.h"
#include "metadata/server/access/token_file.h"
#include "metadata/server/peer.h"

namespace rekindle {

// What a call shows of who sends it.
struct Credentials {
  // Its headers `authorization`, as they were sent.
  std::vector<std::string> authorization;
  Peer peer;
};

// Who sends a call.
struct Caller {
  std::string name = {};                    // empty if nobody knows
  std::optional<Role> role = std::nullopt;  // the same
  std::string address = {};
};

// Whether one may call, and who asked.
struct Decision {
  Caller caller;
  absl::Status status;
};

// Decides who may call what. Thread-safe.
class Authorizer {
 public:
  // By a token file; or, without one, everybody may everything who can connect
  // and, with `certificates`, shows a certificate of the client CA's. `clock`
  // is not owned and must outlive this.
  Authorizer(std::unique_ptr<TokenFile> tokens, bool certificates,
             const Clock& clock)
      : tokens_(std::move(tokens)),
        certificates_(certificates),
        clock_(clock) {}

  // Whether the sender of `shown` may make `call`, a name of the access table.
  // The decision's status is OK or
  //
  //   UNAUTHENTICATED    it does not say who it is in a way that counts
  //   PERMISSION_DENIED  it does, and its role is too low; or nobody may
  Decision Decide(const Credentials& shown, absl::string_view call) const;

  // Why the token file is not in force as it is now; OK if it is, or if there
  // is none.
  absl::Status token_file_state() const;

 private:
  absl::StatusOr<Caller> Identify(const Credentials& shown) const;
  absl::StatusOr<Caller> ByTokenFile(const Credentials& shown) const;

  const std::unique_ptr<TokenFile> tokens_;
  const bool certificates_;
  const Clock& clock_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCESS_AUTHORIZER_H_
