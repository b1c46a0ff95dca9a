// Any bytes as a file of records, or as one record: refused as DATA_LOSS, or
// records that frame to the same bytes, and examples that mean to our walker
// what they mean to protobuf.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "component/data/schema_inference.h"
#include "component/data/statistics_collector.h"
#include "component/records/byte_source.h"
#include "component/records/example_walker.h"
#include "component/records/gzip_source.h"
#include "component/records/record_framing.h"
#include "component/records/tfrecord_reader.h"
#include "tensorflow/core/example/example.pb.h"
#include "tests/fuzz/require.h"

namespace rekindle {
namespace {

// Of what a small gzip may become.
constexpr size_t kMostBytes = size_t{8} << 20;

class Bytes final : public ByteSource {
 public:
  Bytes(absl::string_view bytes, size_t largest)
      : bytes_(bytes), largest_(largest) {}

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    const size_t got = bytes_.copy(out, std::min(size, largest_));
    bytes_.remove_prefix(got);
    return got;
  }

 private:
  absl::string_view bytes_;
  const size_t largest_;
};

// The features as the walker tells them; the last of a name counts.
class Gathering final : public ExampleVisitor {
 public:
  void OnBytes(absl::string_view name,
               std::span<const absl::string_view> values) override {
    tensorflow::Feature& feature = Begin(name);
    feature.mutable_bytes_list();
    for (const absl::string_view value : values) {
      feature.mutable_bytes_list()->add_value(std::string(value));
    }
  }
  void OnFloats(absl::string_view name,
                std::span<const float> values) override {
    tensorflow::Feature& feature = Begin(name);
    feature.mutable_float_list()->mutable_value()->Add(values.begin(),
                                                       values.end());
  }
  void OnInt64s(absl::string_view name,
                std::span<const int64_t> values) override {
    tensorflow::Feature& feature = Begin(name);
    feature.mutable_int64_list()->mutable_value()->Add(values.begin(),
                                                       values.end());
  }
  void OnNoValues(absl::string_view name) override { Begin(name); }

  const std::map<std::string, tensorflow::Feature>& features() const {
    return features_;
  }

 private:
  tensorflow::Feature& Begin(absl::string_view name) {
    tensorflow::Feature& feature = features_[std::string(name)];
    feature.Clear();
    return feature;
  }

  std::map<std::string, tensorflow::Feature> features_;
};

// Protobuf keeps unknown fields, which say nothing to anybody.
std::string Known(tensorflow::Feature feature) {
  feature.DiscardUnknownFields();
  return feature.SerializeAsString();
}

void CheckExample(absl::string_view record) {
  ExampleWalker walker;
  Gathering walked;
  const absl::Status status = walker.Walk(record, walked);
  Require(status.ok() || absl::IsDataLoss(status), status.ToString());
  tensorflow::Example example;
  const bool parsed =
      example.ParseFromArray(record.data(), static_cast<int>(record.size()));
  // Protobuf refuses more than we do: names that are not UTF-8, groups.
  if (!parsed || !status.ok()) return;
  Require(static_cast<size_t>(example.features().feature_size()) ==
              walked.features().size(),
          "the walker tells of other features");
  for (const auto& [name, feature] : example.features().feature()) {
    const auto found = walked.features().find(name);
    Require(found != walked.features().end() &&
                Known(found->second) == Known(feature),
            "the walker tells another feature");
  }
  StatisticsCollector statistics;
  (void)statistics.Add(record);
  (void)InferSchema({statistics.Finish()});
}

// All records of a source, framed again.
std::string ReadRecords(std::unique_ptr<ByteSource> source) {
  TfRecordReader reader(std::move(source), "a");
  std::string framed;
  while (framed.size() < kMostBytes) {
    const auto record = reader.Next();
    Require(record.ok() || absl::IsDataLoss(record.status()),
            record.status().ToString());
    if (!record.ok() || !record->has_value()) return framed;
    CheckExample(**record);
    AppendFramedRecord(**record, &framed);
  }
  return framed;
}

void CheckPlain(absl::string_view file, size_t piece) {
  const std::string framed = ReadRecords(std::make_unique<Bytes>(file, piece));
  Require(file.substr(0, framed.size()) == framed,
          "records that frame to other bytes");
}

// What becomes of the bytes unpacked is the same however they come.
void CheckGzip(absl::string_view file, size_t piece) {
  constexpr uint64_t kMostTimes = 0;  // any size; the loops below end
  std::string unpacked[2];
  for (const int way : {0, 1}) {
    GzipSource source(
        std::make_unique<Bytes>(file, way == 0 ? file.size() + 1 : piece),
        kMostTimes);
    std::vector<char> buffer(way == 0 ? 65536 : 1 + piece);
    while (unpacked[way].size() < kMostBytes / 8) {
      const auto got = source.Read(buffer.data(), buffer.size());
      Require(got.ok() || absl::IsDataLoss(got.status()),
              got.status().ToString());
      if (!got.ok() || *got == 0) break;
      unpacked[way].append(buffer.data(), *got);
    }
  }
  const size_t common = std::min(unpacked[0].size(), unpacked[1].size());
  Require(unpacked[0].compare(0, common, unpacked[1], 0, common) == 0,
          "other bytes when they come in pieces");
  ReadRecords(std::make_unique<GzipSource>(
      std::make_unique<Bytes>(file, file.size() + 1), kMostTimes));
}

}  // namespace
}  // namespace rekindle

// The first byte says what the others are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rekindle;
  if (size == 0) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  const size_t piece = size_t{1} + data[0] / 4;
  switch (data[0] % 4) {
    case 0:
      CheckPlain(bytes, piece);
      break;
    case 1:
      CheckGzip(bytes, piece);
      break;
    default: {
      CheckExample(bytes);
      std::string framed;
      AppendFramedRecord(bytes, &framed);
      CheckPlain(framed, piece);
      break;
    }
  }
  return 0;
}
