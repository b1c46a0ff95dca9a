#ifndef REKINDLE_CLI_METADATA_NODE_CALLS_H_
#define REKINDLE_CLI_METADATA_NODE_CALLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/node_traits.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {

// The store's calls by kind of node, so that a command is written once for
// artifacts, executions and contexts.
template <typename Node>
struct NodeCalls;

#define RK_NODE_CALLS(Node, field, id_field)                                   \
  template <>                                                                  \
  struct NodeCalls<ml_metadata::Node> {                                        \
    using ListRequest = ml_metadata::Get##Node##sRequest;                      \
    using ListByTypeRequest = ml_metadata::Get##Node##sByTypeRequest;          \
    static auto List(const MetadataStore& store, const ListRequest& request) { \
      return store.Get##Node##s(request);                                      \
    }                                                                          \
    static auto List(const MetadataStore& store,                               \
                     const ListByTypeRequest& request) {                       \
      return store.Get##Node##sByType(request);                                \
    }                                                                          \
    static auto Get(const MetadataStore& store,                                \
                    const std::vector<int64_t>& ids) {                         \
      ml_metadata::Get##Node##sByIDRequest request;                            \
      request.mutable_##id_field()->Add(ids.begin(), ids.end());               \
      return store.Get##Node##sByID(request);                                  \
    }                                                                          \
    template <typename Response>                                               \
    static auto& Nodes(Response& response) {                                   \
      return *response.mutable_##field();                                      \
    }                                                                          \
  };
RK_NODE_CALLS(Artifact, artifacts, artifact_ids)
RK_NODE_CALLS(Execution, executions, execution_ids)
RK_NODE_CALLS(Context, contexts, context_ids)
#undef RK_NODE_CALLS

// Which nodes to list, and how.
struct NodeQuery {
  std::string type;  // empty: of all types
  ml_metadata::ListOperationOptions options;
  std::optional<int64_t> limit;  // all of them without one
};

// Calls `take` with each node, asking the store page by page.
//
//   what the store's listing answers, and what `take` does
template <typename Node>
absl::Status ForEachNode(const MetadataStore& store, const NodeQuery& query,
                         absl::FunctionRef<absl::Status(Node)> take);

// The nodes with these ids, in order of id.
//
//   NOT_FOUND  one of them is not stored; names it
template <typename Node>
absl::StatusOr<std::vector<Node>> GetNodes(const MetadataStore& store,
                                           const std::vector<int64_t>& ids);

}  // namespace rekindle

#endif  // REKINDLE_CLI_METADATA_NODE_CALLS_H_
