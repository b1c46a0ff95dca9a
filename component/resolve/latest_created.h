#ifndef REKINDLE_COMPONENT_RESOLVE_LATEST_CREATED_H_
#define REKINDLE_COMPONENT_RESOLVE_LATEST_CREATED_H_

#include <cstdint>

#include "component/resolve/strategy.h"

namespace rekindle {

// The `count` artifacts created last, or as many as there are, oldest first; of
// those created at the same time the higher id is the later. As TFX's resolver
// function latest_created.
Strategy LatestCreated(int64_t count);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_LATEST_CREATED_H_
