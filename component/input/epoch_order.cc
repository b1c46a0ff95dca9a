#include "component/input/epoch_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status_macros.h"

namespace rekindle {
namespace {

// Each epoch has two streams of random numbers.
uint64_t FileStream(int64_t epoch) { return 2 * static_cast<uint64_t>(epoch); }
uint64_t ExampleStream(int64_t epoch) { return FileStream(epoch) + 1; }

}  // namespace

std::vector<int> FilesOfEpoch(const OrderOptions& options, int64_t epoch) {
  std::vector<int> files(static_cast<size_t>(options.files));
  std::iota(files.begin(), files.end(), 0);
  if (!options.shuffle) return files;
  RandomStream random(options.seed, FileStream(epoch));
  for (size_t left = files.size(); left > 1; --left) {
    std::swap(files[left - 1], files[random.Below(left)]);
  }
  return files;
}

EpochOrder::EpochOrder(const OrderOptions& options, int64_t epoch,
                       ChunkFeed* feed)
    : options_(options),
      epoch_(epoch),
      feed_(feed),
      files_(FilesOfEpoch(options, epoch)),
      random_(options.seed, ExampleStream(epoch)) {
  places_.resize(static_cast<size_t>(
      std::min(options.cycle_length, int64_t{options.files})));
  for (Place& place : places_) OpenNextFile(&place);
}

absl::StatusOr<bool> EpochOrder::Next(ExampleRef* example) {
  if (!options_.shuffle || options_.shuffle_buffer <= 1) {
    return NextOfFiles(example);
  }
  if (!filled_) RK_RETURN_IF_ERROR(FillBuffer());
  if (buffer_.empty()) return false;
  ExampleRef& chosen = buffer_[random_.Below(buffer_.size())];
  *example = chosen;
  RK_ASSIGN_OR_RETURN(const bool more, NextOfFiles(&chosen));
  if (!more) {
    chosen = buffer_.back();
    buffer_.pop_back();
  }
  return true;
}

absl::Status EpochOrder::FillBuffer() {
  filled_ = true;
  const auto size = static_cast<size_t>(options_.shuffle_buffer);
  while (buffer_.size() < size) {
    ExampleRef example;
    RK_ASSIGN_OR_RETURN(const bool more, NextOfFiles(&example));
    if (!more) break;
    buffer_.push_back(example);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> EpochOrder::NextOfFiles(ExampleRef* example) {
  while (!places_.empty()) {
    Place& place = places_[place_];
    if (place.row == place.size) {
      RK_ASSIGN_OR_RETURN(const bool more, NextChunk(&place));
      if (!more) continue;
    }
    *example = {place.chunk, place.row++};
    if (++place.given == options_.block_length) {
      place.given = 0;
      place_ = place_ + 1 == places_.size() ? 0 : place_ + 1;
    }
    return true;
  }
  return false;
}

// False when the place's file has ended: the place has another then, or is
// gone.
absl::StatusOr<bool> EpochOrder::NextChunk(Place* place) {
  RK_ASSIGN_OR_RETURN(place->chunk, place->file->Next());
  place->row = 0;
  place->size = place->chunk == nullptr ? 0 : place->chunk->size;
  if (place->chunk != nullptr) return true;
  place->given = 0;
  if (OpenNextFile(place)) return false;
  places_.erase(places_.begin() + static_cast<ptrdiff_t>(place_));
  if (place_ == places_.size()) place_ = 0;
  return false;
}

bool EpochOrder::OpenNextFile(Place* place) {
  if (next_turn_ == options_.files) return false;
  const int file = files_[static_cast<size_t>(next_turn_)];
  place->file = feed_->Open(epoch_, next_turn_++, file);
  return true;
}

}  // namespace rekindle
