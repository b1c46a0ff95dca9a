#include "tests/histories/journal.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "absl/strings/str_cat.h"

namespace rekindle::histories {
namespace {

struct Header {
  int64_t number;
  uint32_t size;
  Record::Kind kind;
  Record::File file;
  uint8_t worker;
};

uint64_t Aligned(uint64_t position) { return (position + 7) & ~uint64_t{7}; }

}  // namespace

std::string Describe(const Record& record) {
  static constexpr std::array<const char*, 9> kNames = {
      "creates", "deletes",      "writes",       "truncates", "syncs",
      "commits", "acknowledges", "acknowledges", ""};
  const std::string who = absl::StrCat("worker ", record.worker, " ",
                                       kNames[static_cast<int>(record.kind)]);
  const char* const file =
      record.file == Record::File::kLog ? "the log" : "the database";
  switch (record.kind) {
    case Record::Kind::kWrite:
      return absl::StrCat(who, " ", file, " ", record.number, "+",
                          record.bytes.size());
    case Record::Kind::kTruncate:
      return absl::StrCat(who, " ", file, " to ", record.number);
    case Record::Kind::kMayChange:
    case Record::Kind::kPresent:
      return absl::StrCat(who, " transaction ", record.number);
    case Record::Kind::kAbsent:
      return absl::StrCat(who, " the deletion of ", record.number);
    case Record::Kind::kNote:
      return absl::StrCat(who, record.bytes);
    default:
      return absl::StrCat(who, " ", file);
  }
}

void Journal::Append(const Record& record) {
  const uint64_t begin = end_;
  const Header header = {record.number,
                         static_cast<uint32_t>(record.bytes.size()),
                         record.kind, record.file, record.worker};
  const uint64_t end = Aligned(begin + sizeof(header) + record.bytes.size());
  if (end > kCapacity) {
    std::cerr << "histories: the journal is full\n";
    std::abort();
  }
  std::memcpy(&bytes_[begin], &header, sizeof(header));
  record.bytes.copy(&bytes_[begin + sizeof(header)], record.bytes.size());
  end_ = end;
}

Record Journal::Read(uint64_t& position) const {
  Header header;
  std::memcpy(&header, &bytes_[position], sizeof(header));
  const absl::string_view bytes(&bytes_[position + sizeof(header)],
                                header.size);
  position = Aligned(position + sizeof(header) + header.size);
  return {header.kind, header.file, header.worker, header.number, bytes};
}

std::vector<uint64_t> Journal::Positions() const {
  std::vector<uint64_t> positions = {0};
  while (positions.back() < end_) {
    uint64_t position = positions.back();
    Read(position);
    positions.push_back(position);
  }
  return positions;
}

}  // namespace rekindle::histories
