// Our side of tests/bench/training_bench.
//
//   training_bench_tool write KIND ROWS FILES FOLDER
//   training_bench_tool input KIND PATTERN BATCH files|memory SECONDS
#include <chrono>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "component/input/example_stream.h"
#include "component/input/input_plan.h"
#include "nlohmann/json.hpp"
#include "rekindle/training/experiment_config.h"
#include "tests/bench/training_data.h"

namespace rekindle {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

absl::Status Read(Dataset& stream, int64_t batches, Batch* batch) {
  for (; batches > 0; --batches) {
    RK_RETURN_IF_ERROR(stream.Next(batch).status());
  }
  return absl::OkStatus();
}

// Reads on until the epoch is over, so that what can be in memory is.
absl::Status ReadEpoch(Dataset& stream, Batch* batch) {
  while (stream.position().epoch == 0) {
    RK_RETURN_IF_ERROR(Read(stream, 1, batch));
  }
  return absl::OkStatus();
}

// How many batches a second a stream gives, to someone who does nothing else.
absl::Status MeasureInput(const std::vector<std::string>& words) {
  RK_ASSIGN_OR_RETURN(const FeatureSpec features, BenchFeatures(words[0]));
  const bool from_memory = words[3] == "memory";
  DataConfig data;
  data.input_path = {words[1]};
  data.global_batch_size = std::stoll(words[2]);
  data.is_training = true;
  data.shuffle_buffer_size = 1000;
  RK_ASSIGN_OR_RETURN(InputPlan plan, MakeInputPlan(data, features, {}, 1));
  if (!from_memory) plan.cache_budget = 0;
  const std::unique_ptr<Dataset> stream = StreamOf(std::move(plan));
  Batch batch;
  if (from_memory) {
    RK_RETURN_IF_ERROR(ReadEpoch(*stream, &batch));
  } else {
    RK_RETURN_IF_ERROR(Read(*stream, 200, &batch));
  }
  const double seconds = std::stod(words[4]);
  int64_t batches = 0;
  const Clock::time_point start = Clock::now();
  const std::clock_t cpu = std::clock();
  for (; SecondsSince(start) < seconds; batches += 100) {
    RK_RETURN_IF_ERROR(Read(*stream, 100, &batch));
  }
  const auto done = static_cast<double>(batches);
  const double cpu_seconds =
      static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  std::cout << nlohmann::json{{"batches_per_second",
                               done / SecondsSince(start)},
                              {"batches_per_cpu_second", done / cpu_seconds}}
            << "\n";
  return absl::OkStatus();
}

absl::Status Run(const std::string& verb,
                 const std::vector<std::string>& words) {
  if (verb == "write" && words.size() == 4) {
    return WriteBenchData(words[0], std::stoll(words[1]), std::stoi(words[2]),
                          words[3]);
  }
  if (verb == "input" && words.size() == 5) return MeasureInput(words);
  return absl::InvalidArgumentError("see the head of training_bench_tool.cc");
}

}  // namespace
}  // namespace rekindle

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const absl::Status status =
      words.empty() ? absl::InvalidArgumentError("say what to do")
                    : rekindle::Run(words[0], {words.begin() + 1, words.end()});
  if (status.ok()) return 0;
  std::cerr << status.message() << "\n";
  return 1;
}
