#ifndef REKINDLE_COMPONENT_DATA_DETERMINISTIC_BYTES_H_
#define REKINDLE_COMPONENT_DATA_DETERMINISTIC_BYTES_H_

#include <string>

#include "google/protobuf/message.h"

namespace rekindle {

// Equal messages give equal bytes: map entries are sorted.
std::string SerializeDeterministically(
    const google::protobuf::Message& message);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_DETERMINISTIC_BYTES_H_
