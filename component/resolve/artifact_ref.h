#ifndef REKINDLE_COMPONENT_RESOLVE_ARTIFACT_REF_H_
#define REKINDLE_COMPONENT_RESOLVE_ARTIFACT_REF_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// How a user names the artifacts of an input. Artifacts by name:
//
//   none                 no artifact at all
//   id:7  id:7,9         those with these ids, in this order
//   uri:/data/x          the one recorded at that place
//   run:Trainer.model    what that node of this run put out under that key
//
// and chosen among those of the pipeline, passing over what cannot be used:
//
//   latest               the one with the highest id
//   latest-blessed       the model with the highest id that was blessed
//   latest-created:3     the three created last, oldest first
//   best:accuracy:max    the one whose property `accuracy` is highest (:min:
//                        lowest); the direction may be left out where the
//                        metric's name gives it, see DirectionOf
//   span:3-7             those of spans 3 to 7, highest span first; span:3 is
//                        short for span:3-3
//   spans:4              those of the newest four spans: the highest span
//                        number there is, and the three below it;
//   spans:4:from=10      but none below span 10
struct ArtifactRef {
  enum class Direction { kMax, kMin };

  struct None {
    bool operator==(const None&) const = default;
  };
  struct Ids {
    std::vector<int64_t> ids;  // not empty, none of them twice
    bool operator==(const Ids&) const = default;
  };
  struct Uri {
    std::string uri;
    bool operator==(const Uri&) const = default;
  };
  struct RunOutput {
    std::string node_id;
    std::string output_key;
    bool operator==(const RunOutput&) const = default;
  };
  struct Latest {
    bool operator==(const Latest&) const = default;
  };
  struct LatestBlessed {
    bool operator==(const LatestBlessed&) const = default;
  };
  struct LatestCreated {
    int64_t count = 1;
    bool operator==(const LatestCreated&) const = default;
  };
  struct Best {
    std::string metric;
    Direction direction = Direction::kMax;
    bool operator==(const Best&) const = default;
  };
  struct SpanRange {
    int64_t first = 0;
    int64_t last = 0;
    bool operator==(const SpanRange&) const = default;
  };
  struct NewestSpans {
    int64_t count = 1;
    int64_t from = 0;
    bool operator==(const NewestSpans&) const = default;
  };

  std::variant<None, Ids, Uri, RunOutput, Latest, LatestBlessed, LatestCreated,
               Best, SpanRange, NewestSpans>
      form;

  // The text that ParseArtifactRef reads.
  std::string ToString() const;

  bool operator==(const ArtifactRef&) const = default;
};

// Whether it names no artifact at all.
inline bool IsNone(const ArtifactRef& ref) {
  return std::holds_alternative<ArtifactRef::None>(ref.form);
}

// The forms above in one line, for --help and for errors.
inline constexpr char kArtifactRefForms[] =
    "none, latest, latest-blessed, latest-created:N, best:METRIC[:max|:min], "
    "id:N[,N...], uri:PATH, run:NODE.KEY, span:FIRST-LAST or "
    "spans:N[:from=FIRST]";

// Parse(ToString(ref)) == ref.
//
//   INVALID_ARGUMENT  it is none of the forms above
absl::StatusOr<ArtifactRef> ParseArtifactRef(absl::string_view text);

// Which way a metric improves, by the words of its name: `loss`, `error`,
// `mae`, `mse`, `rmse` and `perplexity` fall; `accuracy`, `auc`, `f1`,
// `precision` and `recall` rise. "eval_loss" has the words `eval` and `loss`.
//
//   INVALID_ARGUMENT  no word says it, or two disagree: it must be given
absl::StatusOr<ArtifactRef::Direction> DirectionOf(absl::string_view metric);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_ARTIFACT_REF_H_
