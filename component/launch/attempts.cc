#include "component/launch/attempts.h"

#include <cstdint>
#include <string>

#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {

Attempt LastAttempt(const ml_metadata::Execution& execution) {
  const auto list =
      nlohmann::json::parse(CustomString(execution, "attempts"), nullptr,
                            /*allow_exceptions=*/false);
  if (!list.is_array() || list.empty() || !list.back().is_object()) return {};
  const nlohmann::json& last = list.back();
  const auto text = [&last](const char* name) {
    const auto found = last.find(name);
    return found != last.end() && found->is_string() ? found->get<std::string>()
                                                     : "";
  };
  const auto number = last.find("attempt");
  if (number == last.end() || !number->is_number_integer()) return {};
  return {number->get<int64_t>(), text("owner"), text("node_dir"),
          text("store_id")};
}

}  // namespace rekindle
