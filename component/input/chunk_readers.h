// Internal to component/input.
#ifndef REKINDLE_COMPONENT_INPUT_CHUNK_READERS_H_
#define REKINDLE_COMPONENT_INPUT_CHUNK_READERS_H_

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/features/feature_spec.h"
#include "component/input/chunk.h"
#include "component/input/chunk_feed.h"
#include "component/input/epoch_order.h"

namespace rekindle {

struct ReaderOptions {
  std::vector<std::string> files;
  OrderOptions order;
  int64_t first_epoch = 0;
  int threads = 1;
  // What to parse; null: nothing. Not owned, must outlive the readers.
  const FeatureSpec* features = nullptr;
};

// Threads that read files ahead of whoever takes their chunks. How far is
// bounded: a few chunks of the files that are open, and a few files. The epochs
// follow each other without a pause.
//
// Open and what it returns belong to one thread. Errors come from Next of the
// file that has them.
class ChunkReaders final : public ChunkFeed {
 public:
  // `pool` is not owned and must outlive the readers. Reads the first epoch
  // only, until ReadOn.
  ChunkReaders(ReaderOptions options, bool parse, ChunkPool* pool);
  ChunkReaders(const ChunkReaders&) = delete;
  ChunkReaders& operator=(const ChunkReaders&) = delete;
  // Waits for the threads, each of which ends after the chunk at hand.
  ~ChunkReaders() override;

  std::unique_ptr<ChunkSequence> Open(int64_t epoch, int64_t turn,
                                      int file) override;

  // Whether chunks read from now on are parsed.
  void SetParse(bool parse);
  // Goes on into the next epochs.
  void ReadOn();

 private:
  class Sequence;
  // A file to read in its turn.
  struct Job {
    int file = 0;
    std::unique_ptr<ChunkReader> reader;
    std::vector<Chunk*> ready;
    bool busy = false;  // a thread reads it
    bool done = false;  // at its end, or damaged
    absl::Status status;
  };

  void Run();
  // A job that can be read on; null: none. Both need the lock.
  Job* ChooseJob();
  Job* NewJob();
  absl::Status Read(Job* job, RowPacker* packer, Chunk* chunk);
  // All chunks of a job that are ready, at least one; none after the last.
  absl::StatusOr<std::vector<Chunk*>> TakeReady(int64_t number);

  const ReaderOptions options_;
  const int64_t files_;
  ChunkPool* const pool_;
  std::mutex mutex_;
  std::condition_variable work_;   // a thread may have something to do
  std::condition_variable ready_;  // a job has a chunk, or is done
  bool stopped_ = false;
  bool parse_;
  // Jobs are numbered by turn, over all epochs.
  std::map<int64_t, Job> jobs_;
  int64_t next_job_;
  int64_t wanted_;          // the job after the last one that was opened
  int64_t end_;             // no job from here on
  std::vector<int> order_;  // of the epoch of next_job_
  int64_t order_epoch_ = -1;
  std::vector<std::thread> threads_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_CHUNK_READERS_H_
