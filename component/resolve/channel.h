#ifndef REKINDLE_COMPONENT_RESOLVE_CHANNEL_H_
#define REKINDLE_COMPONENT_RESOLVE_CHANNEL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "component/resolve/strategy.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {

// The context of that type and name, if there is one.
absl::StatusOr<std::optional<ml_metadata::Context>> FindContext(
    const std::string& type, const std::string& name,
    const MetadataStore& store);

// Artifacts of a type that belong to a pipeline, in any state, as a stream: a
// page is read when the one before is used up. Thread-compatible.
class Channel {
 public:
  // By id or by create time, descending. `pipeline` is its context. `filter` is
  // a condition that they must meet besides; empty for none. `store` is not
  // owned and must outlive the channel.
  Channel(int64_t pipeline, absl::string_view type_name, Strategy::Order order,
          absl::string_view filter, const MetadataStore& store);

  // nullopt after the last one.
  absl::StatusOr<std::optional<ml_metadata::Artifact>> Next();

 private:
  absl::Status ReadPage();

  const MetadataStore& store_;
  ml_metadata::GetArtifactsByContextRequest request_;
  std::deque<ml_metadata::Artifact> page_;
  bool exhausted_ = false;
};

// The artifacts of a channel by rank, highest first. Of those that are not
// looked at only the rank is kept. Thread-compatible.
class RankedChannel {
 public:
  // Reads the whole channel. Those without a rank are told to `pass_over`, each
  // with the reason. `store` is not owned and must outlive it.
  static absl::StatusOr<RankedChannel> Read(
      Channel channel, const Strategy& strategy,
      const std::function<void(ml_metadata::Artifact, std::string reason)>&
          pass_over,
      const MetadataStore& store);

  // nullopt after the last one.
  absl::StatusOr<std::optional<ml_metadata::Artifact>> Next();

 private:
  struct Entry {
    Rank rank;
    int64_t id = 0;
  };

  explicit RankedChannel(const MetadataStore& store) : store_(&store) {}

  const MetadataStore* store_;
  std::vector<Entry> entries_;
  size_t next_ = 0;
};

// Whether an execution of the pipeline put the artifact out: one that the
// pipeline only read belongs to it, too, but is no candidate.
absl::StatusOr<bool> IsOutputOf(int64_t pipeline, int64_t artifact_id,
                                const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_CHANNEL_H_
