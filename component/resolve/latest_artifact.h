#ifndef REKINDLE_COMPONENT_RESOLVE_LATEST_ARTIFACT_H_
#define REKINDLE_COMPONENT_RESOLVE_LATEST_ARTIFACT_H_

#include "component/resolve/strategy.h"

namespace rekindle {

// The artifact with the highest id, as TFX's LatestArtifactStrategy.
Strategy LatestArtifact();

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_LATEST_ARTIFACT_H_
