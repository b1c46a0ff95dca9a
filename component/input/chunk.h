// Internal to component/input.
#ifndef REKINDLE_COMPONENT_INPUT_CHUNK_H_
#define REKINDLE_COMPONENT_INPUT_CHUNK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/features/row_packer.h"
#include "component/records/tfrecord_reader.h"

namespace rekindle {

// A few records of a file that follow one another: as they are, or parsed. The
// unit in which examples travel from the files to the batches.
struct Chunk {
  int file = 0;              // index of the file
  int64_t first_record = 0;  // number of its first record in the file
  size_t size = 0;           // records

  bool parsed = false;
  PackedRows rows;           // when parsed
  std::string bytes;         // else: the records, one after the other
  std::vector<size_t> ends;  // of each record in `bytes`

  // For whoever gives the examples: how many are still to be given, and
  // whether the chunk stays in memory after that.
  size_t in_use = 0;
  bool cached = false;
  // The pool's.
  bool lent = false;

  std::string_view record(size_t index) const {
    const size_t begin = index == 0 ? 0 : ends[index - 1];
    return std::string_view(bytes).substr(begin, ends[index] - begin);
  }
  // Memory in use.
  size_t memory() const;
};

// One example of a chunk. Not owned.
struct ExampleRef {
  Chunk* chunk = nullptr;
  uint32_t row = 0;
};

// Owns chunks, and lends them again when they are done with, memory and all.
// Thread-safe.
class ChunkPool {
 public:
  // An empty chunk.
  Chunk* Take();
  void Return(Chunk* chunk);
  // Frees what is not lent.
  void Trim();
  // Frees everything: no one may use a chunk any more.
  void Clear();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Chunk*> free_;
};

// Reads a file chunk by chunk. Thread-compatible.
class ChunkReader {
 public:
  // Opens the file at `path`; errors as OpenTfRecordReader.
  static absl::StatusOr<std::unique_ptr<ChunkReader>> Open(std::string path,
                                                           int file);

  // Fills `chunk` with the next records, parsed if there is a `packer`; with
  // none at the end of the file.
  //
  //   DATA_LOSS         the file is damaged (which, and where)
  //   INVALID_ARGUMENT  a record cannot be used (which, and why)
  //   UNAVAILABLE       the file cannot be read
  absl::Status Read(RowPacker* packer, Chunk* chunk);

 private:
  ChunkReader(std::string path, int file,
              std::unique_ptr<TfRecordReader> reader);

  const std::string path_;
  const int file_;
  const std::unique_ptr<TfRecordReader> reader_;
  int64_t next_record_ = 0;
};

// Parses a record of a file; errors name both.
absl::Status PackRecord(const std::string& path, int64_t number,
                        std::string_view record, RowPacker& packer,
                        PackedRows* rows);

// Parses a chunk of the file at `path` that was not, and frees its records.
absl::Status ParseChunk(const std::string& path, RowPacker& packer,
                        Chunk* chunk);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_CHUNK_H_
