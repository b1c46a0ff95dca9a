// Internal to component/input.
#ifndef REKINDLE_COMPONENT_INPUT_CHUNK_FEED_H_
#define REKINDLE_COMPONENT_INPUT_CHUNK_FEED_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "component/input/chunk.h"

namespace rekindle {

// The chunks of one file, in the file's order. Thread-compatible.
class ChunkSequence {
 public:
  virtual ~ChunkSequence() = default;

  // The next chunk, with all its examples in use; null after the last.
  virtual absl::StatusOr<Chunk*> Next() = 0;
};

// Where chunks come from: files, or memory. Thread-compatible.
class ChunkFeed {
 public:
  virtual ~ChunkFeed() = default;

  // Begins the file that has turn `turn` in the order of epoch `epoch`, which
  // is file number `file`. Turns are opened in their order. The feed must
  // outlive what is returned.
  virtual std::unique_ptr<ChunkSequence> Open(int64_t epoch, int64_t turn,
                                              int file) = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_CHUNK_FEED_H_
