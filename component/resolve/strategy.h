#ifndef REKINDLE_COMPONENT_RESOLVE_STRATEGY_H_
#define REKINDLE_COMPONENT_RESOLVE_STRATEGY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// What a strategy says of the next candidate.
struct Opinion {
  enum class Kind {
    kTake,      // for the reason, unless it turns out that it cannot be used
    kPassOver,  // for the reason
    kEnough,    // neither this one nor any after it is wanted
  };
  Kind kind = Kind::kTake;
  std::string reason;

  static Opinion Take(std::string reason = "") {
    return {Kind::kTake, std::move(reason)};
  }
  static Opinion PassOver(std::string reason) {
    return {Kind::kPassOver, std::move(reason)};
  }
  static Opinion Enough() { return {Kind::kEnough, ""}; }
};

// Where a candidate stands among the others: the higher value first, then the
// higher tie breaker.
struct Rank {
  double value = 0;
  int64_t tie_breaker = 0;

  bool operator>(const Rank& other) const {
    return value > other.value ||
           (value == other.value && tie_breaker > other.tie_breaker);
  }
};

// A way to choose among the artifacts of a channel: the order in which they are
// looked at, and which of them are wanted. Its functions are pure; that a
// candidate exists on disk and is what was published is not their business.
struct Strategy {
  enum class Order {
    kIdDescending,
    kCreateTimeDescending,  // and, at the same time, by id
    kRankDescending,        // all are read before the first is looked at
  };
  using Artifacts = std::vector<ml_metadata::Artifact>;

  Order order = Order::kIdDescending;

  // For kRankDescending. The message of an error is why the candidate has no
  // rank: it is passed over.
  std::function<absl::StatusOr<Rank>(const ml_metadata::Artifact&)> rank;

  // The opinion of `next`, after those in `taken`.
  std::function<Opinion(const ml_metadata::Artifact& next,
                        const Artifacts& taken)>
      consider;

  // What is taken is handed on in the reverse of the order of looking.
  bool reverse = false;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_STRATEGY_H_
