// Writes an event file into a folder, as the lines of standard input say: a
// JSON object each, {"step": 1, "scalars": {"loss": 0.5}}, or {"step": 1,
// "histogram": "kernel", "values": [...]}, or {"graph": ["node", ...]}.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "rekindle/training/summary_writer.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {
namespace {

using ::nlohmann::json;

tensorflow::Tensor Values(const std::vector<float>& values) {
  tensorflow::Tensor tensor(
      tensorflow::DT_FLOAT,
      tensorflow::TensorShape({static_cast<int64_t>(values.size())}));
  std::ranges::copy(values, tensor.flat<float>().data());
  return tensor;
}

tensorflow::GraphDef GraphOf(const std::vector<std::string>& names) {
  tensorflow::GraphDef graph;
  for (const std::string& name : names) {
    auto* node = graph.add_node();
    node->set_name(name);
    node->set_op("NoOp");
  }
  return graph;
}

absl::Status Write(const json& line, SummaryWriter& writer) {
  if (line.contains("graph")) return writer.Graph(GraphOf(line["graph"]));
  if (line.contains("scalars")) {
    return writer.Scalars(line["step"], line["scalars"].get<Logs>());
  }
  return writer.Histogram(line["step"], line["histogram"],
                          Values(line["values"]));
}

absl::Status WriteAll(const std::string& folder) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<SummaryWriter> writer,
                      OpenSummaryWriter(folder));
  for (std::string line; std::getline(std::cin, line);) {
    RK_RETURN_IF_ERROR(Write(json::parse(line), *writer));
  }
  return writer->Flush();
}

}  // namespace
}  // namespace rekindle

int main(int /*argc*/, char** argv) {
  const absl::Status written = rekindle::WriteAll(argv[1]);
  if (!written.ok()) std::cerr << written << "\n";
  return written.ok() ? 0 : 1;
}
