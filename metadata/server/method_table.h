// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_METHOD_TABLE_H_
#define REKINDLE_METADATA_SERVER_METHOD_TABLE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "absl/status/statusor.h"
#include "metadata/api/open_store.h"

namespace rekindle {

// One call of a store, for whoever knows its messages only by their
// descriptors.
struct Method {
  const google::protobuf::MethodDescriptor* descriptor;
  // An empty request, to be copied.
  const google::protobuf::Message* request;
  // Calls the store with a request of that type.
  std::function<absl::StatusOr<std::unique_ptr<google::protobuf::Message>>(
      Store& store, const google::protobuf::Message& request)>
      call;

  const std::string& name() const { return descriptor->name(); }
};

// The calls of ML Metadata's service and then the steps', in the order of
// metadata/api/rpc_list.h. No two have the same name.
const std::vector<Method>& AllMethods();

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_METHOD_TABLE_H_
