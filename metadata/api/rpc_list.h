#ifndef REKINDLE_METADATA_API_RPC_LIST_H_
#define REKINDLE_METADATA_API_RPC_LIST_H_

// The methods of MetadataStore, which are the calls of ML Metadata's service,
// and those of StepStore, as lists: what every implementation says once per
// call it says once.
//
//   #define RK_DECLARE(Rpc) ...
//   RK_FOR_EACH_WRITE_RPC(RK_DECLARE)
//   #undef RK_DECLARE

#define RK_FOR_EACH_WRITE_RPC(X)    \
  X(PutArtifactType)                \
  X(PutExecutionType)               \
  X(PutContextType)                 \
  X(PutTypes)                       \
  X(PutArtifacts)                   \
  X(PutExecutions)                  \
  X(PutContexts)                    \
  X(PutEvents)                      \
  X(PutExecution)                   \
  X(PutLineageSubgraph)             \
  X(PutAttributionsAndAssociations) \
  X(PutParentContexts)

// Const methods.
#define RK_FOR_EACH_READ_RPC(X)     \
  X(GetArtifactType)                \
  X(GetExecutionType)               \
  X(GetContextType)                 \
  X(GetArtifactTypesByID)           \
  X(GetExecutionTypesByID)          \
  X(GetContextTypesByID)            \
  X(GetArtifactTypes)               \
  X(GetExecutionTypes)              \
  X(GetContextTypes)                \
  X(GetArtifactTypesByExternalIds)  \
  X(GetExecutionTypesByExternalIds) \
  X(GetContextTypesByExternalIds)   \
  X(GetArtifacts)                   \
  X(GetExecutions)                  \
  X(GetContexts)                    \
  X(GetArtifactsByType)             \
  X(GetExecutionsByType)            \
  X(GetContextsByType)              \
  X(GetArtifactsByContext)          \
  X(GetExecutionsByContext)         \
  X(GetArtifactsByID)               \
  X(GetExecutionsByID)              \
  X(GetContextsByID)                \
  X(GetArtifactByTypeAndName)       \
  X(GetExecutionByTypeAndName)      \
  X(GetContextByTypeAndName)        \
  X(GetArtifactsByURI)              \
  X(GetArtifactsByExternalIds)      \
  X(GetExecutionsByExternalIds)     \
  X(GetContextsByExternalIds)       \
  X(GetEventsByExecutionIDs)        \
  X(GetEventsByArtifactIDs)         \
  X(GetLineageSubgraph)             \
  X(GetLineageGraph)                \
  X(GetContextsByArtifact)          \
  X(GetContextsByExecution)         \
  X(GetParentContextsByContext)     \
  X(GetChildrenContextsByContext)   \
  X(GetParentContextsByContexts)    \
  X(GetChildrenContextsByContexts)

// Those of StepStore, of rekindle.v1.StepService.
#define RK_FOR_EACH_STEP_RPC(X) \
  X(Claim)                      \
  X(Renew)                      \
  X(StartWork)                  \
  X(PreparePublish)             \
  X(Publish)                    \
  X(Finish)                     \
  X(Identify)                   \
  X(Verify)                     \
  X(Delete)

#endif  // REKINDLE_METADATA_API_RPC_LIST_H_
