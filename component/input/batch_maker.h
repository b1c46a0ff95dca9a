// Internal to component/input.
#ifndef REKINDLE_COMPONENT_INPUT_BATCH_MAKER_H_
#define REKINDLE_COMPONENT_INPUT_BATCH_MAKER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/features/row_packer.h"
#include "component/input/batch_gatherer.h"
#include "component/input/chunk.h"
#include "component/input/chunk_cache.h"
#include "component/input/chunk_readers.h"
#include "component/input/epoch_order.h"
#include "component/input/input_plan.h"
#include "rekindle/training/dataset.h"

namespace rekindle {

// A worker's slices of one global batch.
struct BatchGroup {
  std::vector<Batch> slices;
  int64_t filled = 0;   // slices that hold examples
  InputPosition after;  // where the next global batch begins
};

// Makes batches, one global batch after the other. Thread-compatible.
class BatchMaker {
 public:
  // `cancelled` makes Make and Seek give up with CANCELLED; it is not owned
  // and must outlive the maker.
  BatchMaker(InputPlan plan, const std::atomic<bool>* cancelled);

  const InputPlan& plan() const { return plan_; }

  // Makes this worker's slices of the next global batch, in memory of `group`
  // where it can; false after the last. Errors as Dataset::Next; after one only
  // Seek helps.
  absl::StatusOr<bool> Make(BatchGroup* group);

  // Goes to where a global batch begins. Errors as Dataset::Seek and Next.
  absl::Status Seek(const InputPosition& position);

 private:
  void Reset();
  void BeginEpoch();
  absl::Status EndEpoch();
  void StartReaders();
  // Tells the readers what has become of the cache.
  void UpdateReaders();
  // The next example, of the next epoch if need be; false after the last.
  absl::StatusOr<bool> Next(ExampleRef* example);
  // The next example of this epoch; false after its last.
  absl::StatusOr<bool> NextOfEpoch(ExampleRef* example);
  absl::Status Skip(int64_t examples);
  absl::Status Cut(BatchGroup* group);
  absl::Status FillSlice(std::span<const ExampleRef> examples, Batch* batch);
  // Where the example's row is, parsed if it was not.
  absl::StatusOr<RowRef> RowOf(const ExampleRef& example);
  void Release(const ExampleRef& example);
  const std::string& PathOf(const Chunk& chunk) const;

  const InputPlan plan_;
  const std::atomic<bool>* const cancelled_;
  ChunkPool pool_;
  ChunkCache cache_;
  std::unique_ptr<ChunkReaders> readers_;  // null when the cache is complete
  std::unique_ptr<ChunkFeed> filler_;      // fills the cache from the readers
  std::unique_ptr<EpochOrder> order_;      // of the epoch at hand
  InputPosition position_;
  bool ended_ = false;  // after the last example
  bool skipping_ = false;
  bool fills_cache_ = false;  // this epoch does
  std::optional<RowPacker> packer_;
  // Of the batch at hand.
  std::vector<ExampleRef> examples_;
  std::vector<RowRef> rows_;
  PackedRows parsed_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_BATCH_MAKER_H_
