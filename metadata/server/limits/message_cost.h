// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_MESSAGE_COST_H_
#define REKINDLE_METADATA_SERVER_LIMITS_MESSAGE_COST_H_

#include <cstdint>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include "absl/status/statusor.h"

namespace rekindle {

// About how many bytes of memory a message of `type` takes once `wire` is
// parsed, which can be a hundred times what is sent. Little memory is used to
// find out. Says no more than that it is too much when it is over `enough`.
//
//   INVALID_ARGUMENT  `wire` is no message, or nested too deeply
absl::StatusOr<int64_t> CostOfMessage(
    const google::protobuf::Descriptor& type,
    google::protobuf::io::ZeroCopyInputStream& wire, int64_t enough);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_MESSAGE_COST_H_
