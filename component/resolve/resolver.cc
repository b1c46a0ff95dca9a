#include "component/resolve/resolver.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/best_metric.h"
#include "component/resolve/blessings.h"
#include "component/resolve/candidate.h"
#include "component/resolve/channel.h"
#include "component/resolve/digest_check.h"
#include "component/resolve/latest_artifact.h"
#include "component/resolve/latest_blessed.h"
#include "component/resolve/latest_created.h"
#include "component/resolve/named_artifacts.h"
#include "component/resolve/span_range.h"
#include "component/resolve/strategy.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;

// One choice among the artifacts of a pipeline.
class Chooser {
 public:
  Chooser(const ResolveQuery& query, int64_t pipeline,
          const MetadataStore& store)
      : query_(query), pipeline_(pipeline), store_(store) {}

  absl::StatusOr<Resolution> Choose(const Strategy& strategy) {
    Channel channel(pipeline_, query_.type_name, strategy.order, "", store_);
    if (strategy.order != Strategy::Order::kRankDescending) {
      return ChooseFrom(channel, strategy);
    }
    return ChooseRanked(std::move(channel), strategy);
  }

  absl::StatusOr<Resolution> ChooseBlessed() {
    Blessings blessings(pipeline_, store_);
    before_each_ = [&blessings](const Artifact& model) {
      return blessings.ReadDownTo(model.id());
    };
    return Choose(LatestBlessed(
        [&blessings](int64_t model_id) { return blessings.Find(model_id); }));
  }

 private:
  // Those without a rank are told last: the others came closer.
  absl::StatusOr<Resolution> ChooseRanked(Channel channel,
                                          const Strategy& strategy) {
    Resolution unranked;
    const auto pass_over = [&](Artifact artifact, std::string reason) {
      std::string not_of_type = WhyNotOfType(artifact, query_.type_name);
      if (!not_of_type.empty()) reason = std::move(not_of_type);
      unranked.PassOver(std::move(artifact), std::move(reason));
    };
    RK_ASSIGN_OR_RETURN(
        RankedChannel ranked,
        RankedChannel::Read(std::move(channel), strategy, pass_over, store_));
    RK_ASSIGN_OR_RETURN(Resolution resolution, ChooseFrom(ranked, strategy));
    for (Candidate& candidate : unranked.candidates) {
      resolution.PassOver(std::move(candidate.artifact),
                          std::move(candidate.reason));
    }
    resolution.more_passed_over += unranked.more_passed_over;
    return resolution;
  }

  template <typename Source>
  absl::StatusOr<Resolution> ChooseFrom(Source& source,
                                        const Strategy& strategy) {
    while (true) {
      RK_ASSIGN_OR_RETURN(std::optional<Artifact> next, source.Next());
      if (!next.has_value()) break;
      RK_RETURN_IF_ERROR(before_each_(*next));
      const Opinion opinion = strategy.consider(*next, resolution_.chosen);
      if (opinion.kind == Opinion::Kind::kEnough) break;
      RK_ASSIGN_OR_RETURN(FilesVerdict verdict, Judge(*next, opinion));
      if (verdict.usable) {
        resolution_.Take(*std::move(next), std::move(verdict.reason));
      } else {
        resolution_.PassOver(*std::move(next), std::move(verdict.reason));
      }
    }
    if (strategy.reverse) {
      std::reverse(resolution_.chosen.begin(), resolution_.chosen.end());
    }
    return std::move(resolution_);
  }

  // What costs most comes last.
  absl::StatusOr<FilesVerdict> Judge(const Artifact& artifact,
                                     const Opinion& opinion) const {
    std::string not_of_type = WhyNotOfType(artifact, query_.type_name);
    if (!not_of_type.empty()) return FilesVerdict{false, not_of_type};
    if (opinion.kind == Opinion::Kind::kPassOver) {
      return FilesVerdict{false, opinion.reason};
    }
    if (IsPartial(artifact) && !query_.allow_partial) {
      return FilesVerdict{false,
                          "its training was cut short (train_complete is 0); "
                          "--allow-partial takes it"};
    }
    if (WasNotPushed(artifact)) {
      return FilesVerdict{false, "it was not pushed (pushed is 0)"};
    }
    RK_ASSIGN_OR_RETURN(const bool is_output,
                        IsOutputOf(pipeline_, artifact.id(), store_));
    if (!is_output) {
      return FilesVerdict{false, absl::StrCat("no execution of pipeline '",
                                              query_.pipeline, "' put it out")};
    }
    FilesVerdict files = CheckFiles(artifact, query_.files);
    if (files.usable && !opinion.reason.empty()) {
      files.reason = absl::StrCat(opinion.reason, "; ", files.reason);
    }
    return files;
  }

  const ResolveQuery& query_;
  const int64_t pipeline_;
  const MetadataStore& store_;
  // What must be known of a candidate before it is considered.
  std::function<absl::Status(const Artifact& next)> before_each_ =
      [](const Artifact&) { return absl::OkStatus(); };
  Resolution resolution_;
};

// Resolves each form of a reference.
struct FormResolver {
  const ResolveQuery& query;
  const MetadataStore& store;

  using Answer = absl::StatusOr<Resolution>;

  Answer operator()(const ArtifactRef::None&) const { return Resolution{}; }
  Answer operator()(const ArtifactRef::Ids& ref) const {
    return ResolveIds(ref, query, store);
  }
  Answer operator()(const ArtifactRef::Uri& ref) const {
    return ResolveUri(ref, query, store);
  }
  Answer operator()(const ArtifactRef::RunOutput& ref) const {
    return ResolveRunOutput(ref, query, store);
  }
  Answer operator()(const ArtifactRef::Latest&) const {
    return Choose(LatestArtifact());
  }
  Answer operator()(const ArtifactRef::LatestCreated& ref) const {
    return Choose(LatestCreated(ref.count));
  }
  Answer operator()(const ArtifactRef::Best& ref) const {
    return Choose(BestMetric(ref.metric, ref.direction));
  }
  Answer operator()(const ArtifactRef::SpanRange& ref) const {
    return Choose(SpansBetween(ref));
  }
  Answer operator()(const ArtifactRef::NewestSpans& ref) const {
    return Choose(NewestSpans(ref));
  }
  Answer operator()(const ArtifactRef::LatestBlessed&) const {
    return InPipeline([](Chooser& chooser) { return chooser.ChooseBlessed(); });
  }

 private:
  Answer Choose(const Strategy& strategy) const {
    return InPipeline(
        [&strategy](Chooser& chooser) { return chooser.Choose(strategy); });
  }

  // A pipeline that never ran has no candidates.
  template <typename Choice>
  Answer InPipeline(Choice choose) const {
    RK_ASSIGN_OR_RETURN(const auto pipeline,
                        FindContext("pipeline", query.pipeline, store));
    if (!pipeline.has_value()) return Resolution{};
    Chooser chooser(query, pipeline->id(), store);
    return choose(chooser);
  }
};

}  // namespace

absl::StatusOr<Resolution> Resolve(const ResolveQuery& query,
                                   const MetadataStore& store) {
  return std::visit(FormResolver{query, store}, query.ref.form);
}

}  // namespace rekindle
