#ifndef REKINDLE_METADATA_API_METADATA_STORE_H_
#define REKINDLE_METADATA_API_METADATA_STORE_H_

#include "absl/status/statusor.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {

// A catalogue of artifacts, executions and contexts, their types, and the
// events and memberships that join them. One method per call of ML Metadata's
// service, with its messages: what works here works over the wire.
//
// Every method is one transaction: it takes effect whole or not at all. Methods
// that find nodes leave out what is not stored; they fail only where it is
// said. Thread-safe.
//
// Any method may also answer
//
//   ABORTED      another writer held the store for too long; nothing was
//                written, the call may be repeated
//   DATA_LOSS    the database is damaged
//   UNAVAILABLE  the store cannot be reached
//
// and methods that write, when it was opened read-only,
//
//   PERMISSION_DENIED
class MetadataStore {
 public:
  virtual ~MetadataStore() = default;

  // Declares a type and returns its id. If its name and version are stored
  // already they must agree, but for what `can_add_fields` and
  // `can_omit_fields` allow.
  //
  //   INVALID_ARGUMENT  no name, or a property without a type
  //   ALREADY_EXISTS    the stored type differs
  //   UNIMPLEMENTED     a field would be deleted, or the base type changed
  virtual absl::StatusOr<ml_metadata::PutArtifactTypeResponse> PutArtifactType(
      const ml_metadata::PutArtifactTypeRequest& request) = 0;
  virtual absl::StatusOr<ml_metadata::PutExecutionTypeResponse>
  PutExecutionType(const ml_metadata::PutExecutionTypeRequest& request) = 0;
  virtual absl::StatusOr<ml_metadata::PutContextTypeResponse> PutContextType(
      const ml_metadata::PutContextTypeRequest& request) = 0;
  virtual absl::StatusOr<ml_metadata::PutTypesResponse> PutTypes(
      const ml_metadata::PutTypesRequest& request) = 0;

  // Creates nodes without an id, updates those with one, and returns the ids in
  // request order. Without an update mask an update is of the whole node: a
  // property that is left out is deleted. An update that changes nothing leaves
  // the last update time alone. The names of artifacts and executions never
  // change.
  //
  //   INVALID_ARGUMENT     an id is not stored; no type, or not the node's; a
  //                        property is not declared, or with another type; a
  //                        context without a name
  //   NOT_FOUND            a type is not stored
  //   ALREADY_EXISTS       another node has this type and name, or external id
  //   FAILED_PRECONDITION  the artifact was updated meanwhile (only if asked)
  virtual absl::StatusOr<ml_metadata::PutArtifactsResponse> PutArtifacts(
      const ml_metadata::PutArtifactsRequest& request) = 0;
  virtual absl::StatusOr<ml_metadata::PutExecutionsResponse> PutExecutions(
      const ml_metadata::PutExecutionsRequest& request) = 0;
  virtual absl::StatusOr<ml_metadata::PutContextsResponse> PutContexts(
      const ml_metadata::PutContextsRequest& request) = 0;

  // Records that executions read or wrote artifacts.
  //
  //   INVALID_ARGUMENT  an id or the type is missing, or a node is not stored
  //   ALREADY_EXISTS    the two are joined by an event of this type already
  virtual absl::StatusOr<ml_metadata::PutEventsResponse> PutEvents(
      const ml_metadata::PutEventsRequest& request) = 0;

  // Records an execution, its artifacts and the events between them, and puts
  // all of them into the contexts. Nodes are created and updated as above.
  //
  //   INVALID_ARGUMENT  as above; an event names another execution or another
  //                     artifact than its pair, or one that is not stored
  //   ALREADY_EXISTS    as above
  virtual absl::StatusOr<ml_metadata::PutExecutionResponse> PutExecution(
      const ml_metadata::PutExecutionRequest& request) = 0;

  // The same for many executions; `event_edges` refer to nodes by their index.
  //
  //   OUT_OF_RANGE  an index is not one of the request's nodes
  virtual absl::StatusOr<ml_metadata::PutLineageSubgraphResponse>
  PutLineageSubgraph(const ml_metadata::PutLineageSubgraphRequest& request) = 0;

  // Puts nodes into contexts; a pair that exists is kept as it is.
  //
  //   INVALID_ARGUMENT  an id is missing, or its node is not stored
  virtual absl::StatusOr<ml_metadata::PutAttributionsAndAssociationsResponse>
  PutAttributionsAndAssociations(
      const ml_metadata::PutAttributionsAndAssociationsRequest& request) = 0;

  // Puts contexts below other contexts.
  //
  //   INVALID_ARGUMENT  an id is missing or not stored, or there were a cycle
  //   ALREADY_EXISTS    the pair is stored already
  virtual absl::StatusOr<ml_metadata::PutParentContextsResponse>
  PutParentContexts(const ml_metadata::PutParentContextsRequest& request) = 0;

  // Finds a type by name and version; an unset version is a value of its own.
  //
  //   NOT_FOUND  no such type
  virtual absl::StatusOr<ml_metadata::GetArtifactTypeResponse> GetArtifactType(
      const ml_metadata::GetArtifactTypeRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionTypeResponse>
  GetExecutionType(
      const ml_metadata::GetExecutionTypeRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextTypeResponse> GetContextType(
      const ml_metadata::GetContextTypeRequest& request) const = 0;

  // Finds types by id, or all of them. The types that every store has for base
  // types (mlmd.Dataset and so on) are among those found by id only.
  virtual absl::StatusOr<ml_metadata::GetArtifactTypesByIDResponse>
  GetArtifactTypesByID(
      const ml_metadata::GetArtifactTypesByIDRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionTypesByIDResponse>
  GetExecutionTypesByID(
      const ml_metadata::GetExecutionTypesByIDRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextTypesByIDResponse>
  GetContextTypesByID(
      const ml_metadata::GetContextTypesByIDRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetArtifactTypesResponse>
  GetArtifactTypes(
      const ml_metadata::GetArtifactTypesRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionTypesResponse>
  GetExecutionTypes(
      const ml_metadata::GetExecutionTypesRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextTypesResponse> GetContextTypes(
      const ml_metadata::GetContextTypesRequest& request) const = 0;

  // Finds types by the ids that other systems gave them.
  //
  //   INVALID_ARGUMENT  an external id is empty
  //   NOT_FOUND         none of them is stored
  virtual absl::StatusOr<ml_metadata::GetArtifactTypesByExternalIdsResponse>
  GetArtifactTypesByExternalIds(
      const ml_metadata::GetArtifactTypesByExternalIdsRequest& request)
      const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionTypesByExternalIdsResponse>
  GetExecutionTypesByExternalIds(
      const ml_metadata::GetExecutionTypesByExternalIdsRequest& request)
      const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextTypesByExternalIdsResponse>
  GetContextTypesByExternalIds(
      const ml_metadata::GetContextTypesByExternalIdsRequest& request)
      const = 0;

  // Lists nodes page by page: all, those of a type, or those in a context. An
  // unknown type or context holds none. Without options, all at once.
  //
  //   INVALID_ARGUMENT  max_result_size is not positive; the page token is not
  //                     one of ours, or of another listing; the filter query
  //                     does not parse
  virtual absl::StatusOr<ml_metadata::GetArtifactsResponse> GetArtifacts(
      const ml_metadata::GetArtifactsRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionsResponse> GetExecutions(
      const ml_metadata::GetExecutionsRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextsResponse> GetContexts(
      const ml_metadata::GetContextsRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetArtifactsByTypeResponse>
  GetArtifactsByType(
      const ml_metadata::GetArtifactsByTypeRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionsByTypeResponse>
  GetExecutionsByType(
      const ml_metadata::GetExecutionsByTypeRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextsByTypeResponse>
  GetContextsByType(
      const ml_metadata::GetContextsByTypeRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetArtifactsByContextResponse>
  GetArtifactsByContext(
      const ml_metadata::GetArtifactsByContextRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionsByContextResponse>
  GetExecutionsByContext(
      const ml_metadata::GetExecutionsByContextRequest& request) const = 0;

  // Finds nodes by id, by type and name, by uri, by external id.
  //
  //   INVALID_ARGUMENT  an external id is empty
  //   NOT_FOUND         none of the external ids is stored
  virtual absl::StatusOr<ml_metadata::GetArtifactsByIDResponse>
  GetArtifactsByID(
      const ml_metadata::GetArtifactsByIDRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionsByIDResponse>
  GetExecutionsByID(
      const ml_metadata::GetExecutionsByIDRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextsByIDResponse> GetContextsByID(
      const ml_metadata::GetContextsByIDRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetArtifactByTypeAndNameResponse>
  GetArtifactByTypeAndName(
      const ml_metadata::GetArtifactByTypeAndNameRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionByTypeAndNameResponse>
  GetExecutionByTypeAndName(
      const ml_metadata::GetExecutionByTypeAndNameRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextByTypeAndNameResponse>
  GetContextByTypeAndName(
      const ml_metadata::GetContextByTypeAndNameRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetArtifactsByURIResponse>
  GetArtifactsByURI(
      const ml_metadata::GetArtifactsByURIRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetArtifactsByExternalIdsResponse>
  GetArtifactsByExternalIds(
      const ml_metadata::GetArtifactsByExternalIdsRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetExecutionsByExternalIdsResponse>
  GetExecutionsByExternalIds(
      const ml_metadata::GetExecutionsByExternalIdsRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextsByExternalIdsResponse>
  GetContextsByExternalIds(
      const ml_metadata::GetContextsByExternalIdsRequest& request) const = 0;

  // Finds the events of executions or of artifacts, oldest first.
  virtual absl::StatusOr<ml_metadata::GetEventsByExecutionIDsResponse>
  GetEventsByExecutionIDs(
      const ml_metadata::GetEventsByExecutionIDsRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetEventsByArtifactIDsResponse>
  GetEventsByArtifactIDs(
      const ml_metadata::GetEventsByArtifactIDsRequest& request) const = 0;

  // Walks along events from the nodes that pass a filter, up, down or both
  // ways, and returns what it meets: nodes by their ids only, events, contexts
  // and their members. All types are returned, whoever has them.
  //
  //   INVALID_ARGUMENT  no starting filter; a filter is wrong; negative hops
  //   NOT_FOUND         no node to start from
  virtual absl::StatusOr<ml_metadata::GetLineageSubgraphResponse>
  GetLineageSubgraph(
      const ml_metadata::GetLineageSubgraphRequest& request) const = 0;

  // Superseded by GetLineageSubgraph: walks both ways from artifacts over nodes
  // that pass the boundary filters, up to `max_node_size` nodes, and returns
  // them whole, their events, and all types.
  //
  //   INVALID_ARGUMENT  no artifacts_options; a filter is wrong; negative hops
  //                     or size
  //   NOT_FOUND         no artifact to start from
  virtual absl::StatusOr<ml_metadata::GetLineageGraphResponse> GetLineageGraph(
      const ml_metadata::GetLineageGraphRequest& request) const = 0;

  // Finds the contexts that hold a node, or are one step up or down from one.
  //
  //   NOT_FOUND  no context holds the artifact or execution
  virtual absl::StatusOr<ml_metadata::GetContextsByArtifactResponse>
  GetContextsByArtifact(
      const ml_metadata::GetContextsByArtifactRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetContextsByExecutionResponse>
  GetContextsByExecution(
      const ml_metadata::GetContextsByExecutionRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetParentContextsByContextResponse>
  GetParentContextsByContext(
      const ml_metadata::GetParentContextsByContextRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetChildrenContextsByContextResponse>
  GetChildrenContextsByContext(
      const ml_metadata::GetChildrenContextsByContextRequest& request)
      const = 0;
  virtual absl::StatusOr<ml_metadata::GetParentContextsByContextsResponse>
  GetParentContextsByContexts(
      const ml_metadata::GetParentContextsByContextsRequest& request) const = 0;
  virtual absl::StatusOr<ml_metadata::GetChildrenContextsByContextsResponse>
  GetChildrenContextsByContexts(
      const ml_metadata::GetChildrenContextsByContextsRequest& request)
      const = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_METADATA_STORE_H_
