#ifndef REKINDLE_TESTS_SIMULATION_SIMULATED_STORE_H_
#define REKINDLE_TESTS_SIMULATION_SIMULATED_STORE_H_

#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/open_store.h"
#include "metadata/api/rpc_list.h"
#include "metadata/api/step_store.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/simulation/world.h"

namespace rekindle::simulation {

// One of the world's stores, as its processes reach it: at each call others may
// go on, and it may fail, be repeated, or be the caller's last.
class SimulatedStore : public Store, public StepStore, public MetadataStore {
 public:
  // `world` is not owned and must outlive this.
  SimulatedStore(World& world, int number)
      : world_(world), real_(world.store(number)), number_(number) {}

  MetadataStore& metadata() override { return *this; }
  StepStore& steps() override { return *this; }
  MaintenanceStore& maintenance() override { return real_.maintenance(); }

#define RK_DEFINE(Rpc)                                                    \
  absl::StatusOr<v1::Rpc##Response> Rpc(const v1::Rpc##Request& request)  \
      override {                                                          \
    return Call<v1::Rpc##Response>(                                       \
        #Rpc, true, request, [&] { return real_.steps().Rpc(request); }); \
  }
  RK_FOR_EACH_STEP_RPC(RK_DEFINE)
#undef RK_DEFINE

#define RK_DEFINE(Rpc)                                                        \
  absl::StatusOr<ml_metadata::Rpc##Response> Rpc(                             \
      const ml_metadata::Rpc##Request& request) override {                    \
    return Call<ml_metadata::Rpc##Response>(                                  \
        #Rpc, false, request, [&] { return real_.metadata().Rpc(request); }); \
  }
  RK_FOR_EACH_WRITE_RPC(RK_DEFINE)
#undef RK_DEFINE

#define RK_DEFINE(Rpc)                                                        \
  absl::StatusOr<ml_metadata::Rpc##Response> Rpc(                             \
      const ml_metadata::Rpc##Request& request) const override {              \
    return Call<ml_metadata::Rpc##Response>(                                  \
        #Rpc, false, request, [&] { return real_.metadata().Rpc(request); }); \
  }
  RK_FOR_EACH_READ_RPC(RK_DEFINE)
#undef RK_DEFINE

 private:
  // Only a step's calls may be repeated, by whoever got no answer.
  template <typename Response, typename Request, typename Real>
  absl::StatusOr<Response> Call(const char* name, bool repeatable,
                                const Request& request,
                                const Real& real) const {
    const StoreFate fate = world_.BeforeStoreCall(name, repeatable);
    if (fate == StoreFate::kDead || fate == StoreFate::kAway) {
      return absl::UnavailableError("the store is away");
    }
    absl::StatusOr<Response> answer = real();
    Saw(request, answer.status());
    if (fate == StoreFate::kRepeated) answer = real();
    if (repeatable) {
      world_.Tell(name, " ", request.ShortDebugString().substr(0, kShown),
                  fate == StoreFate::kLost       ? " (answer lost)"
                  : fate == StoreFate::kRepeated ? " (repeated)"
                                                 : "",
                  ": ",
                  answer.ok() ? answer->ShortDebugString().substr(0, kShown)
                              : answer.status().ToString());
    }
    if (fate == StoreFate::kLost) return absl::UnavailableError("no answer");
    return answer;
  }

  template <typename Request>
  void Saw(const Request& request, const absl::Status& answer) const {
    if (!answer.ok()) return;
    if constexpr (std::is_same_v<Request, v1::PublishRequest>) {
      world_.SawPublish(number_, request);
    } else if constexpr (std::is_same_v<Request, v1::DeleteRequest>) {
      world_.SawDelete(number_, request);
    }
  }

  static constexpr size_t kShown = 160;

  World& world_;
  Store& real_;
  const int number_;
};

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_SIMULATED_STORE_H_
