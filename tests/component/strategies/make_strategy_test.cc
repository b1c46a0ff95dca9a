#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/strategies/devices.h"
#include "component/strategies/session_config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/strategy.h"
#include "tensorflow/core/framework/device_attributes.pb.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/protobuf/rewriter_config.pb.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

using ::tensorflow::ConfigProto;
using ::tensorflow::RewriterConfig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MakeStrategyTest, OneDeviceByDefault) {
  const auto strategy = MakeStrategy(RuntimeConfig(), "");
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  EXPECT_EQ((*strategy)->Description(),
            "Using MirroredStrategy with devices ('/device:CPU:0')");
  EXPECT_EQ((*strategy)->replicas(), 1);
  EXPECT_TRUE((*strategy)->is_chief());
  EXPECT_TRUE((*strategy)->Finish().ok());
}

TEST(MakeStrategyTest, MirrorsOverVirtualCpus) {
  RuntimeConfig runtime;
  runtime.num_virtual_cpus = 3;
  const auto strategy = MakeStrategy(runtime, "");
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  EXPECT_EQ((*strategy)->Description(),
            "Using MirroredStrategy with devices ('/device:CPU:0', "
            "'/device:CPU:1', '/device:CPU:2')");
  EXPECT_EQ((*strategy)->input_context().replicas, 3);
  const auto session = (*strategy)->OpenSession(1);
  ASSERT_TRUE(session.ok()) << session.status();
  std::vector<tensorflow::DeviceAttributes> devices;
  ASSERT_TRUE((*session)->ListDevices(&devices).ok());
  EXPECT_EQ(devices.size(), 3u);
}

TEST(MakeStrategyTest, AClusterOfOneIsOneProcess) {
  const auto strategy =
      MakeStrategy(RuntimeConfig(), R"({"cluster": {"worker": ["localhost:1"]},
                           "task": {"type": "worker", "index": 0}})");
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  EXPECT_EQ((*strategy)->workers(), 1);
}

TEST(MakeStrategyTest, WithoutAGpuTheCpuIsUsedAndSaysSo) {
  RuntimeConfig runtime;
  runtime.distribution_strategy = "one_device";
  runtime.num_gpus = 1;
  runtime.enable_xla = true;
  runtime.mixed_precision_dtype = "float16";
  const absl::StatusOr<DevicePlan> devices = PlanDevices(runtime, 0);
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_THAT(devices->Names(), ElementsAre("/device:CPU:0"));
  EXPECT_EQ(devices->note, "runtime.num_gpus is 1, but no GPU was found");
}

TEST(PlanDevicesTest, TakesTheGpusAskedFor) {
  RuntimeConfig runtime;
  runtime.num_gpus = 2;
  const absl::StatusOr<DevicePlan> devices = PlanDevices(runtime, 4);
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_THAT(devices->Names("/job:a"),
              ElementsAre("/job:a/device:GPU:0", "/job:a/device:GPU:1"));
}

TEST(PlanDevicesTest, WithGpusThereTheCpuIsUsedIfNoneIsAskedFor) {
  const absl::StatusOr<DevicePlan> devices = PlanDevices(RuntimeConfig(), 4);
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_THAT(devices->Names(), ElementsAre("/device:CPU:0"));
  const absl::StatusOr<ConfigProto> config =
      MakeSessionConfig(RuntimeConfig(), *devices);
  EXPECT_EQ(config->device_count().at("GPU"), 0);
}

TEST(SessionConfigTest, GpusGetGrowingMemoryXlaAndFloat16) {
  RuntimeConfig runtime;
  runtime.num_gpus = 2;
  runtime.enable_xla = true;
  runtime.mixed_precision_dtype = "float16";
  const absl::StatusOr<ConfigProto> config =
      MakeSessionConfig(runtime, {.gpus = true, .count = 2, .note = ""});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->device_count().at("GPU"), 2);
  EXPECT_TRUE(config->gpu_options().allow_growth());
  EXPECT_EQ(config->graph_options().optimizer_options().global_jit_level(),
            tensorflow::OptimizerOptions::ON_1);
  EXPECT_EQ(config->graph_options().rewrite_options().auto_mixed_precision(),
            RewriterConfig::ON);
}

TEST(SessionConfigTest, CpusGetBfloat16) {
  RuntimeConfig runtime;
  runtime.mixed_precision_dtype = "bfloat16";
  const absl::StatusOr<ConfigProto> config = MakeSessionConfig(runtime, {});
  ASSERT_TRUE(config.ok()) << config.status();
  const RewriterConfig& rewriter = config->graph_options().rewrite_options();
  EXPECT_EQ(rewriter.auto_mixed_precision_onednn_bfloat16(),
            RewriterConfig::ON);
  EXPECT_EQ(rewriter.auto_mixed_precision(), RewriterConfig::DEFAULT);
}

TEST(SessionConfigTest, AGraphIsKeptUnlessMixedPrecisionRewritesIt) {
  for (const auto& [dtype, kept] :
       {std::pair("float32", true), std::pair("bfloat16", false)}) {
    RuntimeConfig runtime;
    runtime.mixed_precision_dtype = dtype;
    absl::StatusOr<ConfigProto> config = MakeSessionConfig(runtime, {});
    ASSERT_TRUE(config.ok()) << config.status();
    KeepGraph(&*config);
    EXPECT_EQ(
        config->graph_options().rewrite_options().disable_meta_optimizer(),
        kept)
        << dtype;
  }
}

struct RefusedCase {
  std::string name;
  std::function<void(RuntimeConfig&)> set;
  std::string says;
  std::string tf_config = "";
};

class RefusedStrategyTest : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedStrategyTest, SaysWhy) {
  RuntimeConfig runtime;
  GetParam().set(runtime);
  const auto strategy = MakeStrategy(runtime, GetParam().tf_config);
  EXPECT_EQ(strategy.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(strategy.status().message(), HasSubstr(GetParam().says));
}

auto Named(const std::string& name) {
  return [name](RuntimeConfig& r) { r.distribution_strategy = name; };
}

INSTANTIATE_TEST_SUITE_P(
    MakeStrategy, RefusedStrategyTest,
    ::testing::ValuesIn(std::vector<RefusedCase>{
        {"Mistyped", Named("miror"), "did you mean 'mirrored'?"},
        {"Unknown", Named("gardening"), "there are one_device, mirrored"},
        {"ParameterServer", Named("parameter_server"),
         "parameter servers are not supported"},
        {"Tpu", Named("tpu"), "TPUs are not supported"},
        {"NegativeGpus", [](RuntimeConfig& r) { r.num_gpus = -1; },
         "runtime.num_gpus is -1, expected 0 to 64"},
        {"TooManyCpus", [](RuntimeConfig& r) { r.num_virtual_cpus = 65; },
         "runtime.num_virtual_cpus is 65, expected 0 to 64"},
        {"BothKinds",
         [](RuntimeConfig& r) { r.num_gpus = r.num_virtual_cpus = 2; },
         "set only one of them"},
        {"OneDeviceOfTwo",
         [](RuntimeConfig& r) {
           r.distribution_strategy = "one_device";
           r.num_virtual_cpus = 2;
         },
         "but 2 devices are asked for; use 'mirrored'"},
        {"OneDeviceOfACluster", Named("one_device"),
         "TF_CONFIG has 2 workers; use 'multi_worker_mirrored'",
         R"({"cluster": {"worker": ["a:1", "b:1"]},
             "task": {"type": "worker", "index": 0}})"},
        {"MalformedTfConfig", Named("mirrored"), "TF_CONFIG: it is not JSON",
         "{"},
        {"UnknownPrecision",
         [](RuntimeConfig& r) { r.mixed_precision_dtype = "float8"; },
         "runtime.mixed_precision_dtype is 'float8'"},
        {"LossScale", [](RuntimeConfig& r) { r.loss_scale = 128; },
         "runtime.loss_scale is not supported"},
    }),
    [](const auto& tested) { return tested.param.name; });

TEST(PlanDevicesTest, FewerGpusThanAskedForIsAnError) {
  RuntimeConfig runtime;
  runtime.num_gpus = 4;
  const absl::StatusOr<DevicePlan> devices = PlanDevices(runtime, 2);
  EXPECT_EQ(devices.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(devices.status().message(),
              HasSubstr("runtime.num_gpus is 4, but this machine has 2"));
}

}  // namespace
}  // namespace rekindle
