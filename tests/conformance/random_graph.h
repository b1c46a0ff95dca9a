#ifndef REKINDLE_TESTS_CONFORMANCE_RANDOM_GRAPH_H_
#define REKINDLE_TESTS_CONFORMANCE_RANDOM_GRAPH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {

// Writes types, nodes, events and edges of every kind and with every kind of
// value, chosen by `seed`, and returns what was written. Names carry the seed:
// a store takes many seeds.
absl::StatusOr<ml_metadata::LineageGraph> WriteRandomGraph(MetadataStore& store,
                                                           uint64_t seed);

// Everything in the store.
absl::StatusOr<ml_metadata::LineageGraph> ReadGraph(const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_CONFORMANCE_RANDOM_GRAPH_H_
