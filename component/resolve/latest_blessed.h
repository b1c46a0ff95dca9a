#ifndef REKINDLE_COMPONENT_RESOLVE_LATEST_BLESSED_H_
#define REKINDLE_COMPONENT_RESOLVE_LATEST_BLESSED_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "component/resolve/strategy.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Of a ModelBlessing that takes earlier blessings of its model back: 1.
inline constexpr char kWithdrawnProperty[] = "withdrawn";

// The id of the model that a ModelBlessing blesses: that of its custom property
// `current_model_id`, if `blessed` is 1; nullopt if it blesses none.
std::optional<int64_t> BlessedModel(const ml_metadata::Artifact& blessing);

// The id of the blessing that a model has, if any.
using FindBlessing = std::function<std::optional<int64_t>(int64_t model_id)>;

// The model with the highest id that has a blessing, as TFX's
// LatestBlessedModelStrategy.
Strategy LatestBlessed(FindBlessing find_blessing);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_LATEST_BLESSED_H_
