#include "rekindle/training/summary_writer.h"

#include <atomic>
#include <climits>
#include <unistd.h>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/io/durable_file.h"
#include "component/io/histogram_buckets.h"
#include "component/records/tfrecord_writer.h"
#include "tensorflow/core/framework/summary.pb.h"
#include "tensorflow/core/util/event.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::Event;

constexpr int kHistogramBuckets = 30;  // as many as Python writes

Event EventAt(int64_t step) {
  Event event;
  event.set_wall_time(absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()));
  event.set_step(step);
  return event;
}

// What every event file begins with.
Event Opening() {
  Event event = EventAt(0);
  event.set_file_version("brain.Event:2");
  event.mutable_source_metadata()->set_writer("rekindle");
  return event;
}

class EventFileWriter final : public SummaryWriter {
 public:
  explicit EventFileWriter(std::unique_ptr<TfRecordWriter> file)
      : file_(std::move(file)) {}

  absl::Status Write(const Event& event) {
    return file_->Write(event.SerializeAsString());
  }

  absl::Status Scalars(int64_t step, const Logs& logs) override {
    Event event = EventAt(step);
    for (const auto& [name, number] : logs) {
      auto* value = event.mutable_summary()->add_value();
      value->set_tag(name);
      value->set_simple_value(static_cast<float>(number));
    }
    return Write(event);
  }

  absl::Status Histogram(int64_t step, const std::string& name,
                         const tensorflow::Tensor& values) override {
    RK_ASSIGN_OR_RETURN(const tensorflow::Tensor buckets,
                        HistogramBuckets(values, kHistogramBuckets));
    Event event = EventAt(step);
    auto* value = event.mutable_summary()->add_value();
    value->set_tag(name);
    auto* metadata = value->mutable_metadata();
    metadata->mutable_plugin_data()->set_plugin_name("histograms");
    metadata->set_data_class(tensorflow::DATA_CLASS_TENSOR);
    buckets.AsProtoTensorContent(value->mutable_tensor());
    return Write(event);
  }

  absl::Status Graph(const tensorflow::GraphDef& graph) override {
    Event event = EventAt(0);
    event.set_graph_def(graph.SerializeAsString());
    return Write(event);
  }

  absl::Status Flush() override { return file_->Flush(); }

 private:
  std::unique_ptr<TfRecordWriter> file_;
};

// A name that no other writer uses, on this machine or another, and that sorts
// behind the names of earlier ones: the order in which files are read.
std::string NewFileName() {
  static std::atomic<int> count = 0;
  char host[HOST_NAME_MAX + 1] = "localhost";
  gethostname(host, sizeof(host));  // If it fails, any name will do.
  return absl::StrFormat("events.out.tfevents.%010d.%s.%d.%06d.v2",
                         absl::ToUnixSeconds(absl::Now()), host, getpid(),
                         count++);
}

}  // namespace

absl::StatusOr<std::unique_ptr<SummaryWriter>> OpenSummaryWriter(
    const std::string& folder) {
  RK_RETURN_IF_ERROR(MakeFolder(folder));
  RK_ASSIGN_OR_RETURN(
      std::unique_ptr<TfRecordWriter> file,
      OpenTfRecordWriter(absl::StrCat(folder, "/", NewFileName()),
                         TfRecordCompression::kNone));
  auto writer = std::make_unique<EventFileWriter>(std::move(file));
  RK_RETURN_IF_ERROR(writer->Write(Opening()));
  RK_RETURN_IF_ERROR(writer->Flush());
  return writer;
}

}  // namespace rekindle
