#include "component/input/chunk_cache.h"

#include <utility>

#include "absl/status/statusor.h"
#include "base/status_macros.h"

namespace rekindle {

// Puts into the cache what it gives.
class ChunkCache::FillingSequence final : public ChunkSequence {
 public:
  FillingSequence(std::unique_ptr<ChunkSequence> from, ChunkCache* cache)
      : from_(std::move(from)), cache_(cache) {}

  absl::StatusOr<Chunk*> Next() override {
    RK_ASSIGN_OR_RETURN(Chunk* const chunk, from_->Next());
    if (chunk != nullptr && cache_->filling()) cache_->Add(chunk);
    return chunk;
  }

 private:
  const std::unique_ptr<ChunkSequence> from_;
  ChunkCache* const cache_;
};

class ChunkCache::Filler final : public ChunkFeed {
 public:
  Filler(ChunkFeed* from, ChunkCache* cache) : from_(from), cache_(cache) {}

  std::unique_ptr<ChunkSequence> Open(int64_t epoch, int64_t turn,
                                      int file) override {
    return std::make_unique<FillingSequence>(from_->Open(epoch, turn, file),
                                             cache_);
  }

 private:
  ChunkFeed* const from_;
  ChunkCache* const cache_;
};

class ChunkCache::Sequence final : public ChunkSequence {
 public:
  explicit Sequence(const std::vector<Chunk*>& chunks) : chunks_(chunks) {}

  absl::StatusOr<Chunk*> Next() override {
    if (next_ == chunks_.size()) return nullptr;
    Chunk* chunk = chunks_[next_++];
    chunk->in_use += chunk->size;
    return chunk;
  }

 private:
  const std::vector<Chunk*>& chunks_;
  size_t next_ = 0;
};

ChunkCache::ChunkCache(int files, size_t budget, ChunkPool* pool)
    : budget_(budget),
      pool_(pool),
      state_(budget > 0 ? State::kFilling : State::kGivenUp),
      files_(static_cast<size_t>(files)) {}

std::unique_ptr<ChunkFeed> ChunkCache::Fill(ChunkFeed* feed) {
  return std::make_unique<Filler>(feed, this);
}

void ChunkCache::Complete() {
  if (filling()) state_ = State::kComplete;
}

void ChunkCache::Restart() {
  if (!filling()) return;
  for (std::vector<Chunk*>& chunks : files_) chunks.clear();
  memory_ = 0;
}

std::unique_ptr<ChunkSequence> ChunkCache::Open(int64_t /*epoch*/,
                                                int64_t /*turn*/, int file) {
  return std::make_unique<Sequence>(files_[static_cast<size_t>(file)]);
}

void ChunkCache::Add(Chunk* chunk) {
  chunk->cached = true;
  files_[static_cast<size_t>(chunk->file)].push_back(chunk);
  memory_ += chunk->memory();
  if (memory_ > budget_) GiveUp();
}

void ChunkCache::GiveUp() {
  state_ = State::kGivenUp;
  for (std::vector<Chunk*>& chunks : files_) {
    for (Chunk* chunk : chunks) {
      chunk->cached = false;
      if (chunk->in_use == 0) pool_->Return(chunk);
    }
    std::vector<Chunk*>().swap(chunks);
  }
  pool_->Trim();
}

}  // namespace rekindle
