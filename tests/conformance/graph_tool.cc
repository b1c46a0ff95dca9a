// Writes a random graph into a store, or prints everything in one, for the
// peer test to compare with what ml_metadata makes of the same file.
//
//   graph_tool write DATABASE SEED   prints what was written
//   graph_tool read DATABASE         prints what is there
//
// Prints a serialized ml_metadata.LineageGraph.
#include <cstdlib>
#include <iostream>
#include <string>

#include "metadata/api/open_store.h"
#include "tests/conformance/random_graph.h"

namespace rekindle {
namespace {

absl::StatusOr<ml_metadata::LineageGraph> Run(const std::string& verb,
                                              const std::string& path,
                                              const std::string& seed) {
  const bool write = verb == "write";
  auto store = OpenSqliteStore(path, SystemClock(),
                               {.mode = write ? OpenOptions::Mode::kCreate
                                              : OpenOptions::Mode::kReadOnly});
  if (!store.ok()) return store.status();
  return write ? WriteRandomGraph((*store)->metadata(), std::stoull(seed))
               : ReadGraph((*store)->metadata());
}

}  // namespace
}  // namespace rekindle

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: graph_tool write DATABASE SEED | read DATABASE\n";
    return 2;
  }
  const auto graph = rekindle::Run(argv[1], argv[2], argc > 3 ? argv[3] : "0");
  if (!graph.ok()) {
    std::cerr << graph.status() << "\n";
    return 1;
  }
  return graph->SerializeToOstream(&std::cout) ? 0 : 1;
}
