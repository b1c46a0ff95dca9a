// Internal to component/input.
#ifndef REKINDLE_COMPONENT_INPUT_EPOCH_ORDER_H_
#define REKINDLE_COMPONENT_INPUT_EPOCH_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "component/input/chunk.h"
#include "component/input/chunk_feed.h"
#include "component/io/random_stream.h"

namespace rekindle {

// What the order of the examples depends on, beside the files and the epoch. A
// plain value.
struct OrderOptions {
  int files = 0;
  bool shuffle = false;
  uint64_t seed = 0;
  int64_t shuffle_buffer = 1;  // examples
  int64_t cycle_length = 1;    // files at once
  int64_t block_length = 1;    // examples of a file at a time
};

// The numbers of the files in the order of an epoch.
std::vector<int> FilesOfEpoch(const OrderOptions& options, int64_t epoch);

// The examples of one epoch in their order: `cycle_length` files take turns and
// give `block_length` examples each; one that ends gives its place to the next.
// Then, with `shuffle`, each example given is a random one of the next
// `shuffle_buffer`. Thread-compatible.
class EpochOrder {
 public:
  // `feed` is not owned and must outlive the order.
  EpochOrder(const OrderOptions& options, int64_t epoch, ChunkFeed* feed);

  // The next example; false after the last. Errors are the feed's.
  absl::StatusOr<bool> Next(ExampleRef* example);

 private:
  struct Place {
    std::unique_ptr<ChunkSequence> file;
    // The chunk is someone else's once its last example was given.
    Chunk* chunk = nullptr;
    size_t size = 0;    // of the chunk
    uint32_t row = 0;   // the next of it
    int64_t given = 0;  // of the block
  };

  absl::StatusOr<bool> NextOfFiles(ExampleRef* example);
  absl::StatusOr<bool> NextChunk(Place* place);
  bool OpenNextFile(Place* place);
  absl::Status FillBuffer();

  const OrderOptions options_;
  const int64_t epoch_;
  ChunkFeed* const feed_;
  const std::vector<int> files_;
  RandomStream random_;
  int64_t next_turn_ = 0;
  std::vector<Place> places_;
  size_t place_ = 0;
  std::vector<ExampleRef> buffer_;
  bool filled_ = false;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_EPOCH_ORDER_H_
