#include "component/input/chunk_readers.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "component/features/row_packer.h"

namespace rekindle {
namespace {

// Chunks of a file that wait to be taken, at most.
constexpr size_t kChunksAhead = 8;

}  // namespace

// The chunks of one job, taken several at a time.
class ChunkReaders::Sequence final : public ChunkSequence {
 public:
  Sequence(ChunkReaders* readers, int64_t job) : readers_(readers), job_(job) {}

  absl::StatusOr<Chunk*> Next() override {
    if (next_ == taken_.size()) {
      RK_ASSIGN_OR_RETURN(taken_, readers_->TakeReady(job_));
      next_ = 0;
      if (taken_.empty()) return nullptr;
    }
    Chunk* chunk = taken_[next_++];
    chunk->in_use = chunk->size;
    return chunk;
  }

 private:
  ChunkReaders* const readers_;
  const int64_t job_;
  std::vector<Chunk*> taken_;
  size_t next_ = 0;
};

ChunkReaders::ChunkReaders(ReaderOptions options, bool parse, ChunkPool* pool)
    : options_(std::move(options)),
      files_(options_.order.files),
      pool_(pool),
      parse_(parse),
      next_job_(options_.first_epoch * files_),
      wanted_(next_job_ + std::min(options_.order.cycle_length, files_)),
      end_(next_job_ + files_) {
  for (int i = 0; i < options_.threads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

ChunkReaders::~ChunkReaders() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (const auto& [number, job] : jobs_) {
    for (Chunk* chunk : job.ready) pool_->Return(chunk);
  }
}

std::unique_ptr<ChunkSequence> ChunkReaders::Open(int64_t epoch, int64_t turn,
                                                  int /*file*/) {
  const int64_t job = epoch * files_ + turn;
  {
    const std::lock_guard lock(mutex_);
    wanted_ = std::max(wanted_, job + 1);
    end_ = std::max(end_, (epoch + 1) * files_);
  }
  work_.notify_all();
  return std::make_unique<Sequence>(this, job);
}

void ChunkReaders::SetParse(bool parse) {
  const std::lock_guard lock(mutex_);
  parse_ = parse;
}

void ChunkReaders::ReadOn() {
  {
    const std::lock_guard lock(mutex_);
    end_ = std::numeric_limits<int64_t>::max();
  }
  work_.notify_all();
}

void ChunkReaders::Run() {
  std::optional<RowPacker> packer;
  if (options_.features != nullptr) packer.emplace(*options_.features);
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    Job* job = ChooseJob();
    if (job == nullptr) {
      work_.wait(lock);
      continue;
    }
    job->busy = true;
    const bool parse = parse_ && packer.has_value();
    lock.unlock();
    Chunk* chunk = pool_->Take();
    const absl::Status status = Read(job, parse ? &*packer : nullptr, chunk);
    lock.lock();
    job->busy = false;
    job->status = status;
    job->done = !status.ok() || chunk->size == 0;
    if (job->done) {
      pool_->Return(chunk);
      job->reader.reset();
    } else {
      job->ready.push_back(chunk);
    }
    ready_.notify_one();
  }
}

ChunkReaders::Job* ChunkReaders::ChooseJob() {
  for (auto& [number, job] : jobs_) {
    if (!job.busy && !job.done && job.ready.size() < kChunksAhead) return &job;
  }
  const int64_t ahead = wanted_ + options_.threads;
  return next_job_ < std::min(ahead, end_) ? NewJob() : nullptr;
}

ChunkReaders::Job* ChunkReaders::NewJob() {
  const int64_t epoch = next_job_ / files_;
  if (epoch != order_epoch_) {
    order_ = FilesOfEpoch(options_.order, epoch);
    order_epoch_ = epoch;
  }
  Job& job = jobs_[next_job_];
  job.file = order_[static_cast<size_t>(next_job_ % files_)];
  ++next_job_;
  return &job;
}

absl::Status ChunkReaders::Read(Job* job, RowPacker* packer, Chunk* chunk) {
  if (job->reader == nullptr) {
    const std::string& path = options_.files[static_cast<size_t>(job->file)];
    RK_ASSIGN_OR_RETURN(job->reader, ChunkReader::Open(path, job->file));
  }
  return job->reader->Read(packer, chunk);
}

absl::StatusOr<std::vector<Chunk*>> ChunkReaders::TakeReady(int64_t number) {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [&] {
    const auto found = jobs_.find(number);
    return found != jobs_.end() &&
           (found->second.done || !found->second.ready.empty());
  });
  Job& job = jobs_.at(number);
  std::vector<Chunk*> taken = std::move(job.ready);
  job.ready.clear();
  if (taken.empty()) {
    RK_RETURN_IF_ERROR(job.status);
    jobs_.erase(number);
  }
  lock.unlock();
  work_.notify_one();
  return taken;
}

}  // namespace rekindle
