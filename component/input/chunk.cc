#include "component/input/chunk.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

// A chunk ends after this many records, or when it holds this many bytes.
// Small, for a shuffle buffer keeps a chunk as long as it holds one example.
constexpr size_t kRecords = 32;
constexpr size_t kBytes = 64 << 10;

void Empty(Chunk* chunk) {
  chunk->size = 0;
  chunk->parsed = false;
  chunk->rows.Clear();
  chunk->bytes.clear();
  chunk->ends.clear();
  chunk->in_use = 0;
  chunk->cached = false;
}

}  // namespace

size_t Chunk::memory() const {
  return sizeof(Chunk) + rows.bytes() + bytes.capacity() +
         ends.capacity() * sizeof(size_t);
}

Chunk* ChunkPool::Take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    chunks_.push_back(std::make_unique<Chunk>());
    free_.push_back(chunks_.back().get());
  }
  Chunk* chunk = free_.back();
  free_.pop_back();
  Empty(chunk);
  chunk->lent = true;
  return chunk;
}

void ChunkPool::Return(Chunk* chunk) {
  const std::lock_guard lock(mutex_);
  chunk->lent = false;
  free_.push_back(chunk);
}

void ChunkPool::Trim() {
  const std::lock_guard lock(mutex_);
  free_.clear();
  std::erase_if(chunks_, [](const auto& chunk) { return !chunk->lent; });
}

void ChunkPool::Clear() {
  const std::lock_guard lock(mutex_);
  free_.clear();
  chunks_.clear();
}

ChunkReader::ChunkReader(std::string path, int file,
                         std::unique_ptr<TfRecordReader> reader)
    : path_(std::move(path)), file_(file), reader_(std::move(reader)) {}

absl::StatusOr<std::unique_ptr<ChunkReader>> ChunkReader::Open(std::string path,
                                                               int file) {
  RK_ASSIGN_OR_RETURN(auto reader, OpenTfRecordReader(path));
  return std::unique_ptr<ChunkReader>(
      new ChunkReader(std::move(path), file, std::move(reader)));
}

absl::Status ChunkReader::Read(RowPacker* packer, Chunk* chunk) {
  chunk->file = file_;
  chunk->first_record = next_record_;
  chunk->parsed = packer != nullptr;
  size_t bytes = 0;
  while (chunk->size < kRecords && bytes < kBytes) {
    RK_ASSIGN_OR_RETURN(const auto record, reader_->Next());
    if (!record.has_value()) break;
    if (packer != nullptr) {
      RK_RETURN_IF_ERROR(
          PackRecord(path_, next_record_, *record, *packer, &chunk->rows));
    } else {
      chunk->bytes.append(*record);
      chunk->ends.push_back(chunk->bytes.size());
    }
    bytes += record->size();
    ++chunk->size;
    ++next_record_;
  }
  return absl::OkStatus();
}

absl::Status PackRecord(const std::string& path, int64_t number,
                        std::string_view record, RowPacker& packer,
                        PackedRows* rows) {
  const absl::Status packed = packer.Append(record, rows);
  if (packed.ok()) return packed;
  return {packed.code(), absl::StrCat("'", path, "': record ", number,
                                      " (from 0): ", packed.message())};
}

absl::Status ParseChunk(const std::string& path, RowPacker& packer,
                        Chunk* chunk) {
  for (size_t i = 0; i < chunk->size; ++i) {
    RK_RETURN_IF_ERROR(PackRecord(path,
                                  chunk->first_record + static_cast<int64_t>(i),
                                  chunk->record(i), packer, &chunk->rows));
  }
  chunk->parsed = true;
  std::string().swap(chunk->bytes);
  std::vector<size_t>().swap(chunk->ends);
  return absl::OkStatus();
}

}  // namespace rekindle
