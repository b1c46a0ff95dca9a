// Internal to component/input.
#ifndef REKINDLE_COMPONENT_INPUT_CHUNK_CACHE_H_
#define REKINDLE_COMPONENT_INPUT_CHUNK_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "component/input/chunk.h"
#include "component/input/chunk_feed.h"

namespace rekindle {

// The chunks of all files, kept in memory when they fit. It fills while an
// epoch is read, and feeds the epochs after that. Thread-compatible.
class ChunkCache final : public ChunkFeed {
 public:
  // `budget` is in bytes; with 0 nothing is kept. `pool` is not owned and must
  // outlive the cache.
  ChunkCache(int files, size_t budget, ChunkPool* pool);

  bool filling() const { return state_ == State::kFilling; }
  bool complete() const { return state_ == State::kComplete; }

  // The feed that fills the cache with what `feed` gives, which is not owned
  // and must outlive it.
  std::unique_ptr<ChunkFeed> Fill(ChunkFeed* feed);
  // The epoch that fills the cache was read to its end.
  void Complete();
  // Begins again with nothing, unless it is complete or cannot be.
  void Restart();

  std::unique_ptr<ChunkSequence> Open(int64_t epoch, int64_t turn,
                                      int file) override;

 private:
  enum class State { kFilling, kComplete, kGivenUp };
  class Filler;
  class FillingSequence;
  class Sequence;

  void Add(Chunk* chunk);
  void GiveUp();

  const size_t budget_;
  ChunkPool* const pool_;
  State state_;
  size_t memory_ = 0;
  std::vector<std::vector<Chunk*>> files_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_CHUNK_CACHE_H_
