#ifndef REKINDLE_TESTS_HISTORIES_WORKER_H_
#define REKINDLE_TESTS_HISTORIES_WORKER_H_

#include <cstdint>
#include <string>

#include "tests/histories/world.h"

namespace rekindle::histories {

struct WorkerPlan {
  uint32_t slot = 1;  // of the world
  int number = 1;     // no two workers of a history have the same
  uint64_t seed = 0;  // of what it does, and when it is killed
  std::string path;   // the database
  // Faults of a store or a disk that the history must notice:
  bool synced = true;  // synchronous=FULL
  bool honest = true;  // a sync is one
};

// A process that uses a database until it has done its part or is killed, which
// it does itself, at a call to the file system that its seed chooses. It writes
// small and large transactions, alone and as a group, takes them back as a
// whole or in part, deletes, reads, checkpoints, and opens the database anew:
// through the buffered log, or as any other program would. Tells the world what
// was acknowledged, and what is wrong.
//
// To be called in a process of its own, which it ends.
[[noreturn]] void RunWorker(World& world, const WorkerPlan& plan);

}  // namespace rekindle::histories

#endif  // REKINDLE_TESTS_HISTORIES_WORKER_H_
