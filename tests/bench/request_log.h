#ifndef REKINDLE_TESTS_BENCH_REQUEST_LOG_H_
#define REKINDLE_TESTS_BENCH_REQUEST_LOG_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {

// A call as it comes over the wire.
struct LoggedRequest {
  std::string method;   // "PutArtifacts"
  std::string message;  // the request, serialized
};

// Reads requests from a file: for each, a line "METHOD SIZE" and SIZE bytes.
//
//   NOT_FOUND         there is no such file
//   INVALID_ARGUMENT  it ends in the middle of a request
absl::StatusOr<std::vector<LoggedRequest>> ReadRequests(
    const std::string& path);

// Parses the request, makes the call and serializes the answer, as a server
// does; returns the answer.
//
//   INVALID_ARGUMENT  there is no such method, or it is not its message
//   and what the call answers
absl::StatusOr<std::string> Replay(const LoggedRequest& request,
                                   MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_BENCH_REQUEST_LOG_H_
