#ifndef REKINDLE_COMPONENT_LAUNCH_CACHE_FORECAST_H_
#define REKINDLE_COMPONENT_LAUNCH_CACHE_FORECAST_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "component/cache/cache_history.h"
#include "component/launch/step.h"
#include "component/launch/work_turn.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {

// What a step would find in the cache if it were run now.
struct CacheForecast {
  CacheDecision decision;
  CacheFields fields;
  std::optional<CacheEntry> hit;
  std::optional<EarlierRun> nearest;  // of a miss

  std::string key() const { return CacheKeyOf(fields); }
};

// Finds out, reading only. `inputs` are all that the step needs. Whether
// another execution computes the same outputs at the moment is not asked.
absl::StatusOr<CacheForecast> ForecastCache(const StepSpec& spec,
                                            const ResolvedInputs& inputs,
                                            const CacheOptions& options,
                                            absl::Time now,
                                            const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_CACHE_FORECAST_H_
