#include "component/resolve/latest_created.h"

#include <cstdint>

#include "component/resolve/strategy.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

Strategy LatestCreated(int64_t count) {
  Strategy strategy;
  strategy.order = Strategy::Order::kCreateTimeDescending;
  strategy.consider = [count](const ml_metadata::Artifact&,
                              const Strategy::Artifacts& taken) {
    return static_cast<int64_t>(taken.size()) < count ? Opinion::Take()
                                                      : Opinion::Enough();
  };
  strategy.reverse = true;
  return strategy;
}

}  // namespace rekindle
