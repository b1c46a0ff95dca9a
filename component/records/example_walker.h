#ifndef REKINDLE_COMPONENT_RECORDS_EXAMPLE_WALKER_H_
#define REKINDLE_COMPONENT_RECORDS_EXAMPLE_WALKER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Told of each feature of a tf.Example. Names and values are borrowed for the
// call. A name that occurs twice is reported twice: as in protobuf, the last
// one counts.
class ExampleVisitor {
 public:
  virtual ~ExampleVisitor() = default;

  virtual void OnBytes(absl::string_view name,
                       std::span<const absl::string_view> values) = 0;
  virtual void OnFloats(absl::string_view name,
                        std::span<const float> values) = 0;
  virtual void OnInt64s(absl::string_view name,
                        std::span<const int64_t> values) = 0;
  // The feature is named but holds no list at all, which TensorFlow treats as a
  // missing feature.
  virtual void OnNoValues(absl::string_view name) = 0;
};

// Reads serialized tf.Examples straight from the wire format, several times
// faster than by parsing them into messages. Packed and unpacked lists, unknown
// fields and repeated submessages mean what they mean to protobuf.
// Thread-compatible; keep one and use it again, it reuses its memory.
class ExampleWalker {
 public:
  // Reports the features of `record` to `visitor` in the record's order.
  //
  //   DATA_LOSS  the bytes are not a tf.Example; features before the damage
  //              have been reported
  absl::Status Walk(absl::string_view record, ExampleVisitor& visitor);

 private:
  enum class Kind { kNone, kBytes, kFloat, kInt64 };

  absl::Status WalkFeatures(absl::string_view features,
                            ExampleVisitor& visitor);
  absl::Status WalkEntry(absl::string_view entry, ExampleVisitor& visitor);
  absl::Status ReadFeature(absl::string_view feature);
  absl::Status ReadBytesList(absl::string_view list);
  absl::Status ReadFloatList(absl::string_view list);
  absl::Status ReadInt64List(absl::string_view list);
  void Become(Kind kind);
  void Report(absl::string_view name, ExampleVisitor& visitor) const;

  // The feature being read.
  Kind kind_ = Kind::kNone;
  std::vector<absl::string_view> bytes_;
  std::vector<float> floats_;
  std::vector<int64_t> int64s_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RECORDS_EXAMPLE_WALKER_H_
