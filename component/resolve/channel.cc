#include "component/resolve/channel.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/resolve/strategy.h"
#include "metadata/api/filter_text.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using OrderByField = ml_metadata::ListOperationOptions::OrderByField;

// The newest few are mostly enough, however many there are.
constexpr int kFirstPage = 20;
constexpr int kLaterPages = 100;

}  // namespace

absl::StatusOr<std::optional<ml_metadata::Context>> FindContext(
    const std::string& type, const std::string& name,
    const MetadataStore& store) {
  ml_metadata::GetContextByTypeAndNameRequest request;
  request.set_type_name(type);
  request.set_context_name(name);
  RK_ASSIGN_OR_RETURN(const auto response,
                      store.GetContextByTypeAndName(request));
  if (!response.has_context()) return std::nullopt;
  return response.context();
}

Channel::Channel(int64_t pipeline, absl::string_view type_name,
                 Strategy::Order order, absl::string_view filter,
                 const MetadataStore& store)
    : store_(store) {
  request_.set_context_id(pipeline);
  auto& options = *request_.mutable_options();
  options.set_max_result_size(kFirstPage);
  options.mutable_order_by_field()->set_field(
      order == Strategy::Order::kCreateTimeDescending
          ? OrderByField::CREATE_TIME
          : OrderByField::ID);
  options.mutable_order_by_field()->set_is_asc(false);
  options.set_filter_query(
      absl::StrCat("type = ", QuoteForFilter(type_name),
                   filter.empty() ? "" : absl::StrCat(" AND ", filter)));
}

absl::StatusOr<std::optional<Artifact>> Channel::Next() {
  while (page_.empty() && !exhausted_) RK_RETURN_IF_ERROR(ReadPage());
  if (page_.empty()) return std::nullopt;
  std::optional<Artifact> next = std::move(page_.front());
  page_.pop_front();
  return next;
}

absl::Status Channel::ReadPage() {
  RK_ASSIGN_OR_RETURN(auto page, store_.GetArtifactsByContext(request_));
  for (Artifact& artifact : *page.mutable_artifacts()) {
    page_.push_back(std::move(artifact));
  }
  exhausted_ = page.next_page_token().empty();
  request_.mutable_options()->set_next_page_token(page.next_page_token());
  request_.mutable_options()->set_max_result_size(kLaterPages);
  return absl::OkStatus();
}

absl::StatusOr<RankedChannel> RankedChannel::Read(
    Channel channel, const Strategy& strategy,
    const std::function<void(Artifact, std::string reason)>& pass_over,
    const MetadataStore& store) {
  RankedChannel ranked(store);
  while (true) {
    RK_ASSIGN_OR_RETURN(std::optional<Artifact> next, channel.Next());
    if (!next.has_value()) break;
    const absl::StatusOr<Rank> rank = strategy.rank(*next);
    if (rank.ok()) {
      ranked.entries_.push_back({*rank, next->id()});
    } else {
      pass_over(*std::move(next), std::string(rank.status().message()));
    }
  }
  std::sort(ranked.entries_.begin(), ranked.entries_.end(),
            [](const Entry& a, const Entry& b) { return a.rank > b.rank; });
  return ranked;
}

absl::StatusOr<std::optional<Artifact>> RankedChannel::Next() {
  while (next_ < entries_.size()) {
    ml_metadata::GetArtifactsByIDRequest request;
    request.add_artifact_ids(entries_[next_++].id);
    RK_ASSIGN_OR_RETURN(auto response, store_->GetArtifactsByID(request));
    // Unless it was deleted meanwhile.
    if (!response.artifacts().empty()) {
      return std::move(*response.mutable_artifacts(0));
    }
  }
  return std::nullopt;
}

absl::StatusOr<bool> IsOutputOf(int64_t pipeline, int64_t artifact_id,
                                const MetadataStore& store) {
  ml_metadata::GetExecutionsRequest request;
  request.mutable_options()->set_max_result_size(1);
  request.mutable_options()->mutable_order_by_field()->set_field(
      OrderByField::ID);
  request.mutable_options()->set_filter_query(absl::StrCat(
      "contexts_pipeline.id = ", pipeline,
      " AND events_output.artifact_id = ", artifact_id,
      " AND events_output.type IN (OUTPUT, INTERNAL_OUTPUT, DECLARED_OUTPUT)"));
  RK_ASSIGN_OR_RETURN(const auto response, store.GetExecutions(request));
  return !response.executions().empty();
}

}  // namespace rekindle
