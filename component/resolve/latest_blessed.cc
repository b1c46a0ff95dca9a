#include "component/resolve/latest_blessed.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "component/resolve/strategy.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

using ml_metadata::Artifact;

std::optional<int64_t> BlessedModel(const Artifact& blessing) {
  if (CustomInt(blessing, "blessed") != 1) return std::nullopt;
  return CustomInt(blessing, "current_model_id");
}

Strategy LatestBlessed(FindBlessing find_blessing) {
  Strategy strategy;
  strategy.order = Strategy::Order::kIdDescending;
  strategy.consider = [find = std::move(find_blessing)](
                          const Artifact& next,
                          const Strategy::Artifacts& taken) {
    if (!taken.empty()) return Opinion::Enough();
    const std::optional<int64_t> blessing = find(next.id());
    if (!blessing.has_value()) {
      return Opinion::PassOver("no ModelBlessing says that it is blessed");
    }
    return Opinion::Take(absl::StrCat("blessed by artifact ", *blessing));
  };
  return strategy;
}

}  // namespace rekindle
