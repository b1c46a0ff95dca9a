#include "metadata/server/method_table.h"

#include <memory>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "absl/status/statusor.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/open_store.h"
#include "metadata/api/rpc_list.h"
#include "metadata/api/step_store.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

using ::google::protobuf::Message;
using ::google::protobuf::ServiceDescriptor;

// The method `name` of `service`, which is `call` of the store's `side`.
// `Call` is a pointer to a member function, const or not.
template <typename Request, typename Side, typename Call>
Method MakeMethod(const ServiceDescriptor* service, const char* name,
                  Side& (Store::*side)(), Call call) {
  return {service->FindMethodByName(name), &Request::default_instance(),
          [side, call](Store& store, const Message& request)
              -> absl::StatusOr<std::unique_ptr<Message>> {
            auto answer =
                ((store.*side)().*call)(static_cast<const Request&>(request));
            if (!answer.ok()) return answer.status();
            using Response = typename decltype(answer)::value_type;
            return std::make_unique<Response>(*std::move(answer));
          }};
}

std::vector<Method> MakeAllMethods() {
  std::vector<Method> methods;
  const ServiceDescriptor* service =
      ml_metadata::PutArtifactsRequest::descriptor()->file()->service(0);
#define RK_ADD(Rpc)                                        \
  methods.push_back(MakeMethod<ml_metadata::Rpc##Request>( \
      service, #Rpc, &Store::metadata, &MetadataStore::Rpc));
  RK_FOR_EACH_WRITE_RPC(RK_ADD)
  RK_FOR_EACH_READ_RPC(RK_ADD)
#undef RK_ADD
  service = v1::ClaimRequest::descriptor()->file()->service(0);
#define RK_ADD(Rpc)                                                            \
  methods.push_back(MakeMethod<v1::Rpc##Request>(service, #Rpc, &Store::steps, \
                                                 &StepStore::Rpc));
  RK_FOR_EACH_STEP_RPC(RK_ADD)
#undef RK_ADD
  return methods;
}

}  // namespace

const std::vector<Method>& AllMethods() {
  static const auto& methods = *new std::vector<Method>(MakeAllMethods());
  return methods;
}

}  // namespace rekindle
