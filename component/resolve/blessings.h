#ifndef REKINDLE_COMPONENT_RESOLVE_BLESSINGS_H_
#define REKINDLE_COMPONENT_RESOLVE_BLESSINGS_H_

#include <cstdint>
#include <map>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/resolve/channel.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {

// Which models of a pipeline are blessed, read from the store as far as was
// asked. Thread-compatible.
class Blessings {
 public:
  // `pipeline` is its context. `store` is not owned and must outlive it.
  Blessings(int64_t pipeline, const MetadataStore& store);

  // Reads on until it is known of all models with this id or a higher one
  // whether they are blessed. A blessing has a higher id than its model: the
  // model's id was known when it was written.
  absl::Status ReadDownTo(int64_t model_id);

  // The id of the newest blessing of a model, as far as has been read; none if
  // it was taken back since.
  std::optional<int64_t> Find(int64_t model_id) const;

 private:
  const int64_t pipeline_;
  const MetadataStore& store_;
  Channel channel_;
  // The newest blessing of each model; none if it was taken back.
  std::map<int64_t, std::optional<int64_t>> by_model_;
  std::optional<int64_t> read_down_to_;
  bool exhausted_ = false;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_BLESSINGS_H_
