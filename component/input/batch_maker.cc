#include "component/input/batch_maker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {

BatchMaker::BatchMaker(InputPlan plan, const std::atomic<bool>* cancelled)
    : plan_(std::move(plan)),
      cancelled_(cancelled),
      cache_(plan_.order.files, plan_.cache_budget, &pool_) {
  if (plan_.features.has_value()) packer_.emplace(*plan_.features);
}

absl::StatusOr<bool> BatchMaker::Make(BatchGroup* group) {
  if (fills_cache_ && !cache_.filling()) UpdateReaders();
  examples_.clear();
  const int64_t own_end = plan_.first + plan_.slices * plan_.slice;
  int64_t taken = 0;
  for (; taken < plan_.batch; ++taken) {
    ExampleRef example;
    RK_ASSIGN_OR_RETURN(const bool more, Next(&example));
    if (!more) break;
    if (taken >= plan_.first && taken < own_end) {
      examples_.push_back(example);
    } else {
      Release(example);
    }
  }
  if (taken < plan_.batch && plan_.drop_remainder) examples_.clear();
  if (examples_.empty()) return false;
  RK_RETURN_IF_ERROR(Cut(group));
  group->after = position_;
  return true;
}

absl::Status BatchMaker::Seek(const InputPosition& position) {
  if (position.epoch < 0 || position.examples < 0 ||
      (position.epoch > 0 && !plan_.repeat)) {
    return absl::OutOfRangeError(
        absl::StrCat("there is no epoch ", position.epoch, ", example ",
                     position.examples, " in this input"));
  }
  Reset();
  position_ = {position.epoch, 0};
  skipping_ = position.examples > 0;
  const absl::Status skipped = Skip(position.examples);
  skipping_ = false;
  if (readers_ != nullptr) UpdateReaders();
  return skipped;
}

void BatchMaker::Reset() {
  ended_ = false;
  order_.reset();
  filler_.reset();
  readers_.reset();
  cache_.Restart();
  if (!cache_.complete()) pool_.Clear();
}

absl::Status BatchMaker::Skip(int64_t examples) {
  while (position_.examples < examples) {
    ExampleRef example;
    RK_ASSIGN_OR_RETURN(const bool more, NextOfEpoch(&example));
    if (!more) {
      return absl::OutOfRangeError(absl::StrCat(
          "epoch ", position_.epoch, " has ", position_.examples,
          " examples, not ", examples, ": the files are others than before"));
    }
    Release(example);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> BatchMaker::Next(ExampleRef* example) {
  while (!ended_) {
    RK_ASSIGN_OR_RETURN(const bool more, NextOfEpoch(example));
    if (more) return true;
    RK_RETURN_IF_ERROR(EndEpoch());
    ended_ = !plan_.repeat;
    if (!ended_) position_ = {position_.epoch + 1, 0};
  }
  return false;
}

absl::StatusOr<bool> BatchMaker::NextOfEpoch(ExampleRef* example) {
  if (cancelled_->load(std::memory_order_relaxed)) {
    return absl::CancelledError("the input was stopped");
  }
  if (order_ == nullptr) BeginEpoch();
  RK_ASSIGN_OR_RETURN(const bool more, order_->Next(example));
  if (more) ++position_.examples;
  return more;
}

// An epoch that begins with examples to skip is not parsed, and so does not
// fill the cache; the next one does.
void BatchMaker::BeginEpoch() {
  fills_cache_ = cache_.filling() && !skipping_;
  ChunkFeed* feed = &cache_;
  if (!cache_.complete()) {
    if (readers_ == nullptr) StartReaders();
    UpdateReaders();
    feed = fills_cache_ ? filler_.get() : readers_.get();
  }
  order_ = std::make_unique<EpochOrder>(plan_.order, position_.epoch, feed);
}

void BatchMaker::StartReaders() {
  readers_ = std::make_unique<ChunkReaders>(
      ReaderOptions{
          .files = plan_.files,
          .order = plan_.order,
          .first_epoch = position_.epoch,
          .threads = plan_.threads,
          .features = packer_.has_value() ? &*plan_.features : nullptr},
      /*parse=*/!skipping_ && (plan_.gives_all() || fills_cache_), &pool_);
  filler_ = cache_.Fill(readers_.get());
}

void BatchMaker::UpdateReaders() {
  fills_cache_ = fills_cache_ && cache_.filling();
  readers_->SetParse(!skipping_ && (plan_.gives_all() || fills_cache_));
  if (plan_.repeat && !cache_.filling()) readers_->ReadOn();
}

absl::Status BatchMaker::EndEpoch() {
  if (position_.examples == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no example in '", plan_.files[0], "'",
                     plan_.files.size() > 1 ? " and the other files" : ""));
  }
  order_.reset();
  if (fills_cache_) cache_.Complete();
  fills_cache_ = false;
  if (cache_.complete()) {
    filler_.reset();
    readers_.reset();
    pool_.Trim();
  }
  return absl::OkStatus();
}

absl::Status BatchMaker::Cut(BatchGroup* group) {
  const std::span<const ExampleRef> examples(examples_);
  const auto slice = static_cast<size_t>(plan_.slice);
  group->slices.resize(static_cast<size_t>(plan_.slices));
  group->filled = 0;
  for (size_t begin = 0; begin < examples.size(); begin += slice) {
    const size_t size = std::min(slice, examples.size() - begin);
    Batch& batch = group->slices[static_cast<size_t>(group->filled++)];
    RK_RETURN_IF_ERROR(FillSlice(examples.subspan(begin, size), &batch));
  }
  for (const ExampleRef& example : examples_) Release(example);
  return absl::OkStatus();
}

absl::Status BatchMaker::FillSlice(std::span<const ExampleRef> examples,
                                   Batch* batch) {
  if (!packer_.has_value()) {
    GatherRecords(examples, batch);
    return absl::OkStatus();
  }
  parsed_.Clear();
  rows_.clear();
  for (const ExampleRef& example : examples) {
    RK_ASSIGN_OR_RETURN(const RowRef row, RowOf(example));
    rows_.push_back(row);
  }
  GatherRows(*plan_.features, rows_, batch);
  return absl::OkStatus();
}

absl::StatusOr<RowRef> BatchMaker::RowOf(const ExampleRef& example) {
  Chunk* const chunk = example.chunk;
  if (!chunk->parsed && plan_.gives_all()) {
    RK_RETURN_IF_ERROR(ParseChunk(PathOf(*chunk), *packer_, chunk));
  }
  if (chunk->parsed) return RowRef{&chunk->rows, example.row};
  RK_RETURN_IF_ERROR(
      PackRecord(PathOf(*chunk), chunk->first_record + example.row,
                 chunk->record(example.row), *packer_, &parsed_));
  return RowRef{&parsed_, parsed_.size - 1};
}

void BatchMaker::Release(const ExampleRef& example) {
  Chunk* const chunk = example.chunk;
  if (--chunk->in_use == 0 && !chunk->cached) pool_.Return(chunk);
}

const std::string& BatchMaker::PathOf(const Chunk& chunk) const {
  return plan_.files[static_cast<size_t>(chunk.file)];
}

}  // namespace rekindle
