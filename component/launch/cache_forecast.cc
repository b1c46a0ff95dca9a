#include "component/launch/cache_forecast.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/cache/cache.h"
#include "component/cache/cache_history.h"
#include "component/launch/driver.h"
#include "component/launch/step.h"
#include "component/launch/work_turn.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {

absl::StatusOr<CacheForecast> ForecastCache(const StepSpec& spec,
                                            const ResolvedInputs& inputs,
                                            const CacheOptions& options,
                                            absl::Time now,
                                            const MetadataStore& store) {
  CacheForecast forecast;
  forecast.fields = DescribeWork(spec, inputs, options.ignored_inputs);
  if (!options.look_up || !CanBeCached(spec)) return forecast;
  RK_ASSIGN_OR_RETURN(
      CacheAnswer answer,
      LookUp(forecast.key(), {options.max_age, now, spec.Files()}, store));
  forecast.decision = {answer.hit.has_value() ? CacheDecision::Kind::kHit
                                              : CacheDecision::Kind::kMiss,
                       std::move(answer.rejected)};
  forecast.hit = std::move(answer.hit);
  if (!forecast.hit.has_value()) {
    RK_ASSIGN_OR_RETURN(
        forecast.nearest,
        FindNearestRun(forecast.fields, /*before=*/std::nullopt, store));
  }
  return forecast;
}

}  // namespace rekindle
