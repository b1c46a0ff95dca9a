// Any bytes as a part of a SavedModel or checkpoint: its object graph, the
// files of its tensors, the list of checkpoints, or our notes on its variables.
// It is read, or refused as NOT_FOUND or DATA_LOSS; what is read was written.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdlib.h>  // mkdtemp
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "component/io/saved_model_reader.h"
#include "component/io/tensor_bundle.h"
#include "tensorflow/cc/saved_model/constants.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/protobuf/trackable_object_graph.pb.h"
#include "tests/fuzz/require.h"

// TensorFlow is not instrumented: what it keeps for ever, and how it fills
// containers, is its own affair.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer calls it so.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:detect_container_overflow=0";
}

namespace rekindle {
namespace {

namespace fs = std::filesystem;

using tensorflow::Tensor;

// A SavedModel in memory, where files can be replaced.
class Model {
 public:
  Model() {
    std::string pattern = "/dev/shm/rekindle-fuzz-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    fs::create_directories(folder_ / "variables");
    fs::create_directories(folder_ / "assets.extra");
  }
  ~Model() { fs::remove_all(folder_); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void Write(const NamedTensors& tensors) const {
    const absl::Status written =
        WriteTensors(tensors, folder_ / "variables/variables");
    Require(written.ok(), written.ToString());
  }
  void Write(const std::string& name, absl::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Remove(const std::string& name) const { fs::remove(folder_ / name); }

  absl::StatusOr<SavedVariables> Load() const {
    absl::StatusOr<SavedVariables> saved = ReadSavedVariables(folder_);
    Require(saved.ok() || absl::IsDataLoss(saved.status()) ||
                absl::IsNotFound(saved.status()),
            saved.status().ToString());
    return saved;
  }

 private:
  fs::path folder_;
};

Tensor Number(float value) {
  Tensor tensor(value);
  return tensor;
}

Tensor Text(absl::string_view text) {
  Tensor tensor(tensorflow::DT_STRING, {});
  tensor.scalar<tensorflow::tstring>()() = text;
  return tensor;
}

// A tensor for each of the first keys that the graph names.
NamedTensors TensorsOf(const tensorflow::TrackableObjectGraph& graph) {
  constexpr size_t kMost = 20;
  NamedTensors tensors;
  for (const auto& node : graph.nodes()) {
    for (const auto& attribute : node.attributes()) {
      const std::string& key = attribute.checkpoint_key();
      if (tensors.size() == kMost) return tensors;
      if (!key.empty()) tensors.emplace(key, Number(tensors.size() % 3));
    }
  }
  return tensors;
}

void CheckGraph(const Model& model, const std::string& bytes) {
  tensorflow::TrackableObjectGraph graph;
  const bool parsed = graph.ParseFromString(bytes);
  NamedTensors tensors = TensorsOf(graph);
  tensors.insert_or_assign(tensorflow::kObjectGraphProtoKey, Text(bytes));
  model.Write(tensors);
  const auto saved = model.Load();
  Require(saved.ok() == parsed, "read although the graph is damaged, or not");
  if (!saved.ok()) return;
  for (const auto& [path, value] : saved->by_path) {
    Require(tensors.contains(absl::StrCat(path, "/.ATTRIBUTES/VARIABLE_VALUE")),
            "a variable that nobody wrote");
  }
  for (const std::string& name : saved->ambiguous) {
    Require(!saved->values.contains(name), "an ambiguous name has a value");
  }
}

// Bytes of a file are replaced: which file, where, and by what.
void CheckDamaged(const Model& model, absl::string_view change) {
  if (change.size() < 3) return;
  const std::string file = change[0] % 2 == 0
                               ? "variables/variables.index"
                               : "variables/variables.data-00000-of-00001";
  model.Write({{"a", Number(1)}, {"b", Text("text")}});
  std::string bytes = model.Read(file);
  const size_t at = static_cast<uint8_t>(change[1]) % (bytes.size() + 1);
  const size_t cut = static_cast<uint8_t>(change[2]) % 32;
  bytes.replace(at, cut, std::string(change.substr(3)));
  model.Write(file, bytes);
  (void)model.Load();
}

void CheckBeside(const Model& model, const std::string& name,
                 absl::string_view bytes) {
  model.Write({{"a", Number(1)}});
  model.Write(name, bytes);
  (void)model.Load();
  model.Remove(name);
}

}  // namespace
}  // namespace rekindle

// The first byte says what the others are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rekindle;
  static const Model kModel;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      CheckGraph(kModel, bytes);
      break;
    case 1:
      CheckDamaged(kModel, bytes);
      break;
    case 2:
      CheckBeside(kModel, "checkpoint", bytes);
      break;
    default:
      CheckBeside(kModel, "assets.extra/rekindle_variables.json", bytes);
      break;
  }
  return 0;
}
