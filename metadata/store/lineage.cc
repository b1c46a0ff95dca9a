#include "metadata/store/lineage.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "metadata/store/listing.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Event;
using ::ml_metadata::Execution;

bool IsInput(Event::Type type) {
  return type == Event::INPUT || type == Event::DECLARED_INPUT ||
         type == Event::INTERNAL_INPUT;
}

using Ids = absl::flat_hash_set<int64_t>;

// The nodes that are part of the answer.
struct Met {
  Ids artifacts;
  Ids executions;
};

std::vector<int64_t> Sorted(const Ids& ids) {
  std::vector<int64_t> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// The two sides of an event, so that one hop is written once.
struct FromArtifact {
  using Next = Execution;
  static auto Find(Database& db, absl::Span<const int64_t> ids) {
    return FindEventRowsByArtifacts(db, ids);
  }
  static int64_t NextId(const EventRow& event) { return event.execution_id; }
  // Upstream of an artifact is who wrote it.
  static bool IsUpstream(const EventRow& event) { return !IsInput(event.type); }
  static Ids& Seen(Met& met) { return met.executions; }
  static const std::optional<WalkEnd>& End(const WalkOptions& options) {
    return options.end_executions;
  }
};

struct FromExecution {
  using Next = Artifact;
  static auto Find(Database& db, absl::Span<const int64_t> ids) {
    return FindEventRowsByExecutions(db, ids);
  }
  static int64_t NextId(const EventRow& event) { return event.artifact_id; }
  static bool IsUpstream(const EventRow& event) { return IsInput(event.type); }
  static Ids& Seen(Met& met) { return met.artifacts; }
  static const std::optional<WalkEnd>& End(const WalkOptions& options) {
    return options.end_artifacts;
  }
};

class Walker {
 public:
  Walker(Database& db, const WalkOptions& options)
      : db_(db), options_(options) {}

  // Walks from nodes of the kind that `From::Next` is not.
  template <typename Start, typename Other>
  absl::StatusOr<Walked> Run(const std::vector<int64_t>& start) {
    RK_ASSIGN_OR_RETURN(std::vector<int64_t> frontier, Begin<Other>(start));
    for (int64_t hop = 0; hop < options_.max_hops && !frontier.empty(); ++hop) {
      if (hop % 2 == 0) {
        RK_ASSIGN_OR_RETURN(frontier, Hop<Start>(frontier));
      } else {
        RK_ASSIGN_OR_RETURN(frontier, Hop<Other>(frontier));
      }
    }
    Walked walked = {Sorted(met_.artifacts), Sorted(met_.executions), {}};
    RK_ASSIGN_OR_RETURN(walked.events, WithPaths(db_, kept_));
    return walked;
  }

 private:
  // The nodes to start from are met as if by a hop before the first.
  template <typename From>
  absl::StatusOr<std::vector<int64_t>> Begin(
      const std::vector<int64_t>& start) {
    if (options_.start_may_end) return Meet<From>(start);
    From::Seen(met_).insert(start.begin(), start.end());
    return start;
  }

  // Goes one hop from `frontier`; returns those from which to go on.
  template <typename From>
  absl::StatusOr<std::vector<int64_t>> Hop(
      const std::vector<int64_t>& frontier) {
    RK_ASSIGN_OR_RETURN(std::vector<EventRow> events,
                        From::Find(db_, frontier));
    std::erase_if(events, [this](const EventRow& event) {
      return !IsWanted<From>(event) || kept_ids_.contains(event.id);
    });
    RK_ASSIGN_OR_RETURN(std::vector<int64_t> going_on,
                        Meet<From>(NotSeen<From>(events)));
    for (const EventRow& event : events) {
      if (IsSeen<From>(event)) Keep(event);
    }
    return going_on;
  }

  // The nodes that the events lead to for the first time, ascending.
  template <typename From>
  std::vector<int64_t> NotSeen(const std::vector<EventRow>& events) {
    std::vector<int64_t> ids;
    for (const EventRow& event : events) {
      if (!IsSeen<From>(event)) ids.push_back(From::NextId(event));
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }

  // Notes the nodes, but for endings that are left out; returns those from
  // which to go on.
  template <typename From>
  absl::StatusOr<std::vector<int64_t>> Meet(const std::vector<int64_t>& ids) {
    Ids ending;
    const std::optional<WalkEnd>& end = From::End(options_);
    if (end.has_value() && !ids.empty()) {
      RK_ASSIGN_OR_RETURN(const auto passing,
                          FilterIds<typename From::Next>(db_, end->filter_query,
                                                         absl::MakeSpan(ids)));
      ending.insert(passing.begin(), passing.end());
    }
    std::vector<int64_t> going_on;
    for (const int64_t id : ids) {
      if (IsFull()) break;
      const bool ends = ending.contains(id);
      if (!ends) going_on.push_back(id);
      if (!ends || end->included) From::Seen(met_).insert(id);
    }
    return going_on;
  }

  template <typename From>
  bool IsWanted(const EventRow& event) const {
    return From::IsUpstream(event) ? options_.upstream : options_.downstream;
  }
  template <typename From>
  bool IsSeen(const EventRow& event) {
    return From::Seen(met_).contains(From::NextId(event));
  }
  bool IsFull() const {
    const size_t nodes = met_.artifacts.size() + met_.executions.size();
    return nodes >= static_cast<size_t>(options_.max_nodes);
  }
  void Keep(const EventRow& event) {
    kept_ids_.insert(event.id);
    kept_.push_back(event);
  }

  Database& db_;
  const WalkOptions& options_;
  Met met_;
  std::vector<EventRow> kept_;
  Ids kept_ids_;
};

}  // namespace

absl::StatusOr<Walked> WalkFromArtifacts(Database& db,
                                         const std::vector<int64_t>& start,
                                         const WalkOptions& options) {
  return Walker(db, options).Run<FromArtifact, FromExecution>(start);
}

absl::StatusOr<Walked> WalkFromExecutions(Database& db,
                                          const std::vector<int64_t>& start,
                                          const WalkOptions& options) {
  return Walker(db, options).Run<FromExecution, FromArtifact>(start);
}

}  // namespace rekindle
