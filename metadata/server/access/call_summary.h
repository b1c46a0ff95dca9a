// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_ACCESS_CALL_SUMMARY_H_
#define REKINDLE_METADATA_SERVER_ACCESS_CALL_SUMMARY_H_

#include <google/protobuf/message.h>

#include "nlohmann/json_fwd.hpp"

namespace rekindle {

// What a request or an answer is about, for the audit log: its first ids,
// names, types, states and URIs by the path of the field, as in
//
//   {"artifacts[0].name": "m", "artifacts[0].uri": "/m/1", "artifacts": 12}
//
// with the length of a list that has more than it shows. Nothing else of it:
// properties may hold secrets.
nlohmann::ordered_json SummarizeMessage(
    const google::protobuf::Message& message);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCESS_CALL_SUMMARY_H_
