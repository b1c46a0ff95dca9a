#include "component/resolve/blessings.h"

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "component/resolve/channel.h"
#include "component/resolve/latest_blessed.h"
#include "component/resolve/strategy.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

Blessings::Blessings(int64_t pipeline, const MetadataStore& store)
    : pipeline_(pipeline),
      store_(store),
      channel_(pipeline, "ModelBlessing", Strategy::Order::kIdDescending,
               "state = LIVE AND (custom_properties.blessed.int_value = 1 OR "
               "custom_properties.withdrawn.int_value = 1)",
               store) {}

absl::Status Blessings::ReadDownTo(int64_t model_id) {
  while (!exhausted_ && read_down_to_.value_or(model_id + 1) > model_id) {
    RK_ASSIGN_OR_RETURN(const std::optional<ml_metadata::Artifact> blessing,
                        channel_.Next());
    exhausted_ = !blessing.has_value();
    if (exhausted_) break;
    read_down_to_ = blessing->id();
    const std::optional<int64_t> model =
        CustomInt(*blessing, "current_model_id");
    if (!model.has_value() || by_model_.contains(*model)) continue;
    RK_ASSIGN_OR_RETURN(const bool is_output,
                        IsOutputOf(pipeline_, blessing->id(), store_));
    if (!is_output) continue;
    const bool blesses = BlessedModel(*blessing).has_value();
    by_model_[*model] = blesses ? std::optional(blessing->id()) : std::nullopt;
  }
  return absl::OkStatus();
}

std::optional<int64_t> Blessings::Find(int64_t model_id) const {
  const auto found = by_model_.find(model_id);
  if (found == by_model_.end()) return std::nullopt;
  return found->second;
}

}  // namespace rekindle
