#include "component/data/deterministic_bytes.h"

#include <string>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"

namespace rekindle {

namespace pb = google::protobuf;

std::string SerializeDeterministically(const pb::Message& message) {
  std::string bytes;
  pb::io::StringOutputStream stream(&bytes);
  {
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace rekindle
