#include "component/input/input_plan.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/io/file_pattern.h"

namespace rekindle {
namespace {

constexpr int64_t kTrainingCycle = 8;
constexpr int64_t kPrefetch = 8;
constexpr int kMostThreads = 8;
constexpr int64_t kMostBuffered = int64_t{1} << 31;
// Files this many times the budget do not fit, however well they are packed.
constexpr size_t kPacking = 8;

absl::Status AtLeast(absl::string_view name, int64_t value, int64_t least) {
  if (value >= least && value < kMostBuffered) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, " is ", value, "; it must be ", least, " or more, and below 2^31"));
}

absl::Status CheckRanges(const DataConfig& data) {
  if (data.input_path.empty()) {
    return absl::InvalidArgumentError(
        "input_path is empty: name the TFRecord files to read");
  }
  if (data.deterministic.has_value() && !*data.deterministic) {
    return absl::InvalidArgumentError(
        "deterministic is false; the order is always deterministic here: leave "
        "it out");
  }
  RK_RETURN_IF_ERROR(AtLeast("global_batch_size", data.global_batch_size, 1));
  RK_RETURN_IF_ERROR(
      AtLeast("shuffle_buffer_size", data.shuffle_buffer_size, 0));
  RK_RETURN_IF_ERROR(AtLeast("block_length", data.block_length, 1));
  RK_RETURN_IF_ERROR(AtLeast("cycle_length", data.cycle_length.value_or(1), 1));
  RK_RETURN_IF_ERROR(AtLeast("ram_budget", data.ram_budget, 0));
  return AtLeast("prefetch_buffer_size", data.prefetch_buffer_size.value_or(1),
                 1);
}

absl::Status CutIntoSlices(const DataConfig& data, const InputContext& context,
                           InputPlan* plan) {
  const int64_t replicas = int64_t{context.workers} * context.replicas;
  if (data.global_batch_size % replicas != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "global_batch_size is ", data.global_batch_size,
        ", which cannot be cut into equal slices for ", replicas, " replicas (",
        context.workers, " workers of ", context.replicas, ")"));
  }
  plan->slice = data.global_batch_size / replicas;
  plan->slices = context.replicas;
  const int64_t own = plan->slice * plan->slices;
  plan->batch = data.sharding ? data.global_batch_size : own;
  plan->first = data.sharding ? own * context.worker : 0;
  return absl::OkStatus();
}

OrderOptions Order(const DataConfig& data, size_t files, uint64_t seed) {
  return {
      .files = static_cast<int>(files),
      .shuffle = data.is_training,
      .seed = data.seed.has_value() ? static_cast<uint64_t>(*data.seed) : seed,
      .shuffle_buffer = data.shuffle_buffer_size,
      .cycle_length =
          data.cycle_length.value_or(data.is_training ? kTrainingCycle : 1),
      .block_length = data.block_length};
}

// What this process may use: the machine's memory, or its container's.
size_t Memory() {
  const auto machine = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t container = 0;
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  return limit >> container ? std::min(machine, container) : machine;
}

size_t SizeOf(const std::vector<std::string>& files) {
  size_t size = 0;
  for (const std::string& file : files) {
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(file, unknown);
    if (!unknown) size += bytes;
  }
  return size;
}

size_t CacheBudget(const DataConfig& data,
                   const std::vector<std::string>& files) {
  if (data.cache) return std::numeric_limits<size_t>::max();
  const size_t budget = data.ram_budget > 0
                            ? static_cast<size_t>(data.ram_budget) << 20
                            : Memory() / 4;
  return SizeOf(files) / kPacking > budget ? 0 : budget;
}

int Threads(const InputPlan& plan) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(std::min(cores, plan.order.files), 1, kMostThreads);
}

}  // namespace

absl::StatusOr<InputPlan> MakeInputPlan(
    const DataConfig& data, const std::optional<FeatureSpec>& features,
    const InputContext& context, uint64_t seed) {
  RK_RETURN_IF_ERROR(CheckRanges(data));
  InputPlan plan;
  RK_RETURN_IF_ERROR(CutIntoSlices(data, context, &plan));
  RK_ASSIGN_OR_RETURN(plan.files, ExpandPatterns(data.input_path));
  plan.order = Order(data, plan.files.size(), seed);
  plan.repeat = data.is_training;
  plan.drop_remainder = data.is_training || data.drop_remainder;
  plan.features = features;
  plan.cache_budget = CacheBudget(data, plan.files);
  plan.prefetch = data.prefetch_buffer_size.value_or(kPrefetch);
  plan.threads = Threads(plan);
  return plan;
}

}  // namespace rekindle
