// Reads TFRecords from one file and writes them to another, for the peer test.
//
//   tfrecord_copy IN OUT none|gzip
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "component/records/tfrecord_reader.h"
#include "component/records/tfrecord_writer.h"

namespace rekindle {
namespace {

absl::Status Copy(const std::string& from, const std::string& to,
                  TfRecordCompression compression) {
  RK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecordReader(from));
  RK_ASSIGN_OR_RETURN(const auto writer, OpenTfRecordWriter(to, compression));
  while (true) {
    RK_ASSIGN_OR_RETURN(const auto record, reader->Next());
    if (!record.has_value()) return writer->Close();
    RK_RETURN_IF_ERROR(writer->Write(*record));
  }
}

}  // namespace
}  // namespace rekindle

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto compression = std::string(argv[3]) == "gzip"
                               ? rekindle::TfRecordCompression::kGzip
                               : rekindle::TfRecordCompression::kNone;
  const absl::Status copied = rekindle::Copy(argv[1], argv[2], compression);
  if (copied.ok()) return 0;
  std::fprintf(stderr, "%s\n", copied.ToString().c_str());
  return 1;
}
