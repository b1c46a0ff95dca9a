#include "component/resolve/latest_artifact.h"

#include "component/resolve/strategy.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

Strategy LatestArtifact() {
  Strategy strategy;
  strategy.order = Strategy::Order::kIdDescending;
  strategy.consider = [](const ml_metadata::Artifact&,
                         const Strategy::Artifacts& taken) {
    return taken.empty() ? Opinion::Take() : Opinion::Enough();
  };
  return strategy;
}

}  // namespace rekindle
