#ifndef REKINDLE_METADATA_API_CALL_TOKEN_H_
#define REKINDLE_METADATA_API_CALL_TOKEN_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace rekindle {

// The token that says to a server who calls it. Thread-safe.
class CallToken {
 public:
  virtual ~CallToken() = default;

  // As of now: it may be replaced while a step runs.
  virtual std::string Current() = 0;
};

// `token` itself.
//
//   INVALID_ARGUMENT  no token looks like that; it is not in the message
absl::StatusOr<std::shared_ptr<CallToken>> MakeCallToken(
    const std::string& token);

// What the file at `path` holds, white space around it aside. A file that is
// replaced is read anew with the next call; while it cannot be read or holds no
// token, the one before stays.
//
//   INVALID_ARGUMENT              it holds no token
//   NOT_FOUND, PERMISSION_DENIED  it cannot be read
absl::StatusOr<std::shared_ptr<CallToken>> ReadCallToken(
    const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_CALL_TOKEN_H_
