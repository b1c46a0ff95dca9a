#ifndef REKINDLE_METADATA_API_NODE_TRAITS_H_
#define REKINDLE_METADATA_API_NODE_TRAITS_H_

#include "absl/strings/string_view.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// The three kinds of types and nodes, numbered as the databases number them.
enum class NodeKind { kExecution = 0, kArtifact = 1, kContext = 2 };

// What differs between artifacts, executions and contexts, so that code for all
// three is written once. Keyed by the node's message and by its type's message.
template <typename NodeOrType>
struct NodeTraits;

template <>
struct NodeTraits<ml_metadata::Artifact> {
  using Node = ml_metadata::Artifact;
  using Type = ml_metadata::ArtifactType;
  static constexpr NodeKind kKind = NodeKind::kArtifact;
  static constexpr absl::string_view kNoun = "artifact";
};

template <>
struct NodeTraits<ml_metadata::Execution> {
  using Node = ml_metadata::Execution;
  using Type = ml_metadata::ExecutionType;
  static constexpr NodeKind kKind = NodeKind::kExecution;
  static constexpr absl::string_view kNoun = "execution";
};

template <>
struct NodeTraits<ml_metadata::Context> {
  using Node = ml_metadata::Context;
  using Type = ml_metadata::ContextType;
  static constexpr NodeKind kKind = NodeKind::kContext;
  static constexpr absl::string_view kNoun = "context";
};

template <>
struct NodeTraits<ml_metadata::ArtifactType>
    : NodeTraits<ml_metadata::Artifact> {};
template <>
struct NodeTraits<ml_metadata::ExecutionType>
    : NodeTraits<ml_metadata::Execution> {};
template <>
struct NodeTraits<ml_metadata::ContextType> : NodeTraits<ml_metadata::Context> {
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_NODE_TRAITS_H_
