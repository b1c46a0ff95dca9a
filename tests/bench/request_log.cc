#include "tests/bench/request_log.h"

#include <fstream>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/api/rpc_list.h"

namespace rekindle {
namespace {

using Call = absl::StatusOr<std::string> (*)(const std::string& message,
                                             MetadataStore& store);

template <typename Request, typename Method>
absl::StatusOr<std::string> CallWith(const std::string& message,
                                     MetadataStore& store, Method method) {
  Request request;
  if (!request.ParseFromString(message)) {
    return absl::InvalidArgumentError(
        absl::StrCat("not a ", Request::descriptor()->name()));
  }
  RK_ASSIGN_OR_RETURN(const auto response, (store.*method)(request));
  return response.SerializeAsString();
}

const std::unordered_map<std::string, Call>& Calls() {
#define RK_CALL(Rpc)                                                  \
  {#Rpc, [](const std::string& message, MetadataStore& store) {       \
     return CallWith<ml_metadata::Rpc##Request>(message, store,       \
                                                &MetadataStore::Rpc); \
   }},
  static const auto* const kCalls = new std::unordered_map<std::string, Call>{
      RK_FOR_EACH_WRITE_RPC(RK_CALL) RK_FOR_EACH_READ_RPC(RK_CALL)};
#undef RK_CALL
  return *kCalls;
}

}  // namespace

absl::StatusOr<std::vector<LoggedRequest>> ReadRequests(
    const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::vector<LoggedRequest> requests;
  LoggedRequest request;
  size_t size = 0;
  while (file >> request.method >> size) {
    file.ignore(1);
    request.message.resize(size);
    if (!file.read(request.message.data(),
                   static_cast<std::streamsize>(size))) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " ends in the middle of a request"));
    }
    requests.push_back(request);
  }
  return requests;
}

absl::StatusOr<std::string> Replay(const LoggedRequest& request,
                                   MetadataStore& store) {
  const auto call = Calls().find(request.method);
  if (call == Calls().end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no method ", request.method));
  }
  return call->second(request.message, store);
}

}  // namespace rekindle
