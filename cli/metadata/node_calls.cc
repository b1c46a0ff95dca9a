#include "cli/metadata/node_calls.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "cli/metadata/store_command.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Context;
using ml_metadata::Execution;

// The most that a store puts on one page.
constexpr int64_t kPageSize = 100;

template <typename Node, typename Request>
absl::Status ListPages(const MetadataStore& store, Request request,
                       std::optional<int64_t> limit,
                       absl::FunctionRef<absl::Status(Node)> take) {
  int64_t left = limit.value_or(INT64_MAX);
  while (left > 0) {
    request.mutable_options()->set_max_result_size(
        static_cast<int32_t>(std::min(left, kPageSize)));
    RK_ASSIGN_OR_RETURN(auto page, NodeCalls<Node>::List(store, request));
    for (Node& node : NodeCalls<Node>::Nodes(page)) {
      RK_RETURN_IF_ERROR(take(std::move(node)));
      --left;
    }
    if (page.next_page_token().empty()) return absl::OkStatus();
    request.mutable_options()->set_next_page_token(page.next_page_token());
  }
  return absl::OkStatus();
}

}  // namespace

template <typename Node>
absl::Status ForEachNode(const MetadataStore& store, const NodeQuery& query,
                         absl::FunctionRef<absl::Status(Node)> take) {
  if (query.type.empty()) {
    typename NodeCalls<Node>::ListRequest request;
    *request.mutable_options() = query.options;
    return ListPages<Node>(store, std::move(request), query.limit, take);
  }
  typename NodeCalls<Node>::ListByTypeRequest request;
  request.set_type_name(query.type);
  *request.mutable_options() = query.options;
  return ListPages<Node>(store, std::move(request), query.limit, take);
}

template <typename Node>
absl::StatusOr<std::vector<Node>> GetNodes(const MetadataStore& store,
                                           const std::vector<int64_t>& ids) {
  if (ids.empty()) return std::vector<Node>();
  RK_ASSIGN_OR_RETURN(auto response, NodeCalls<Node>::Get(store, ids));
  auto& found = NodeCalls<Node>::Nodes(response);
  for (const int64_t id : ids) {
    const bool stored =
        std::any_of(found.begin(), found.end(),
                    [id](const Node& node) { return node.id() == id; });
    if (!stored) {
      return NoSuchNode(std::string(NodeTraits<Node>::kNoun), id);
    }
  }
  return std::vector<Node>(std::make_move_iterator(found.begin()),
                           std::make_move_iterator(found.end()));
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them.
#define RK_DEFINE_FOR(Node)                                  \
  template absl::Status ForEachNode<Node>(                   \
      const MetadataStore& store, const NodeQuery& query,    \
      absl::FunctionRef<absl::Status(Node)> take);           \
  template absl::StatusOr<std::vector<Node>> GetNodes<Node>( \
      const MetadataStore& store, const std::vector<int64_t>& ids);
// NOLINTEND(bugprone-macro-parentheses)
RK_DEFINE_FOR(Artifact)
RK_DEFINE_FOR(Execution)
RK_DEFINE_FOR(Context)
#undef RK_DEFINE_FOR

}  // namespace rekindle
