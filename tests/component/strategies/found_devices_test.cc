#include "component/strategies/found_devices.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "component/contract/executor_error.h"
#include "component/strategies/cuda_driver.h"
#include "component/strategies/devices.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/strategy.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string WhyNone(const char* answers) {
  setenv("STAND_IN_CUDA", answers, /*overwrite=*/1);
  return WhyNoCuda(STAND_IN_DRIVER);
}

TEST(CudaDriverTest, ADriverThatShowsADeviceIsFine) {
  EXPECT_THAT(WhyNone("12000 0 1"), IsEmpty());
  EXPECT_THAT(WhyNone("13010 0 8"), IsEmpty());
}

TEST(CudaDriverTest, SaysWhatIsWrongWithOneThatShowsNone) {
  EXPECT_THAT(WhyNoCuda("libcuda-of-nobody.so.1"),
              HasSubstr("there is no NVIDIA driver: libcuda-of-nobody.so.1"));
  EXPECT_THAT(WhyNone("11080 0 1"),
              HasSubstr("too old: it runs CUDA 11.8, and TensorFlow needs CUDA "
                        "12.0 (driver 525) or later"));
  EXPECT_THAT(WhyNone("12040 100 0"), HasSubstr("shows this process no"));
  EXPECT_THAT(WhyNone("12040 0 0"), HasSubstr("shows this process no device"));
  EXPECT_THAT(WhyNone("12040 803 0"), HasSubstr("of different versions"));
  EXPECT_THAT(WhyNone("12040 999 0"), HasSubstr("refuses with CUDA error 999"));
}

TEST(FoundDevicesTest, TheLineNamesEveryDevice) {
  EXPECT_EQ(DevicesLine({.cpu_cores = 1, .why_no_gpu = "sold"}),
            "devices found: 1 CPU core; no GPU (sold)");
  EXPECT_EQ(DevicesLine({.cpu_cores = 8, .gpus = {"A (8.0)", "B"}}),
            "devices found: 8 CPU cores; GPU 0: A (8.0); GPU 1: B");
}

TEST(FoundDevicesTest, ARequiredGpuThatIsNotThereHasAReasonAndACause) {
  const absl::Status status = CheckHasGpu({.why_no_gpu = "sold"});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("none was found: sold"));
  EXPECT_EQ(MakeExecutorError(status).reason, "NO_GPU");
  EXPECT_TRUE(CheckHasGpu({.gpus = {"A"}}).ok());
}

TEST(FoundDevicesTest, MakeStrategyRefusesTheCpuWhenAGpuIsRequired) {
  const auto strategy =
      MakeStrategy(RuntimeConfig(), "", {.require_gpu = true});
  EXPECT_EQ(strategy.ok(), !FindDevices().gpus.empty()) << strategy.status();
}

TEST(WithGpusTest, TakesAllThatThereAreUnlessANumberIsNamed) {
  RuntimeConfig runtime;
  EXPECT_EQ(WithGpus(runtime, 4)->num_gpus, 4);
  runtime.distribution_strategy = "one_device";
  EXPECT_EQ(WithGpus(runtime, 4)->num_gpus, 1);
  runtime.num_gpus = 2;
  EXPECT_EQ(WithGpus(runtime, 4)->num_gpus, 2);
}

TEST(WithGpusTest, RefusesSettingsThatAskForCpus) {
  RuntimeConfig runtime;
  runtime.num_virtual_cpus = 2;
  const absl::Status status = WithGpus(runtime, 4).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("num_virtual_cpus is 2, but a GPU is required"));
}

}  // namespace
}  // namespace rekindle
