#include "component/modules/module_loader.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>

#include "component/contract/whole_file.h"
#include "component/modules/elf_symbol.h"
#include "component/modules/make_fn_args.h"
#include "component/records/tfrecord_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/module.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

std::string Message(const absl::StatusOr<Module>& module) {
  return std::string(module.status().message());
}

bool NeverStop() { return false; }

class ModuleLoaderTest : public ::testing::Test {
 protected:
  ModuleLoaderTest() : bytes_(*ReadWholeFile(REKINDLE_TRACED_MODULE)) {
    setenv("REKINDLE_TRACE", (folder_ / "trace").c_str(), 1);
  }
  ~ModuleLoaderTest() override { unsetenv("REKINDLE_TRACE"); }

  // The module with `text` in the place of a field of its descriptor.
  std::string WithField(size_t offset, const std::string& text) const {
    std::string changed = bytes_;
    changed.replace(changed.find(kModuleMagic) + offset, text.size(), text);
    return folder_.Write("changed.so", changed);
  }

  // Loading `path` fails with a sentence that has `what`, and nothing of the
  // module has run.
  void ExpectRefused(const std::string& path, absl::StatusCode code,
                     const std::string& what) {
    const auto module = LoadModule(path);
    EXPECT_EQ(module.status().code(), code) << module.status();
    EXPECT_THAT(Message(module), HasSubstr(what));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "trace"));
  }

  const TempDir folder_;
  const std::string bytes_;
};

TEST_F(ModuleLoaderTest, CodeOfAnotherAbiNeverRuns) {
  constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;
  ExpectRefused(
      WithField(offsetof(ModuleDescriptor, api), std::string("\7\0\0\0", 4)),
      kRefused, "built with headers number 7, but this program with");
  ExpectRefused(WithField(offsetof(ModuleDescriptor, tensorflow),
                          std::string("2.3.4\0", 7)),
                kRefused, "built with TensorFlow 2.3.4, but this program");
  ExpectRefused(WithField(offsetof(ModuleDescriptor, absl), "2022"), kRefused,
                "built with absl 2022");
  ExpectRefused(WithField(offsetof(ModuleDescriptor, compiler), "icc"),
                kRefused, "built with the compiler icc");
  ExpectRefused(WithField(offsetof(ModuleDescriptor, tensor_alignment), "\x10"),
                kRefused, "built with EIGEN_MAX_ALIGN_BYTES 16");
}

TEST_F(ModuleLoaderTest, WhatIsNoModuleIsRefused) {
  constexpr auto kRefused = absl::StatusCode::kInvalidArgument;
  ExpectRefused(folder_ / "nowhere.so", absl::StatusCode::kNotFound,
                "nowhere.so");
  ExpectRefused(folder_.Write("module.py", "def run_fn(fn_args): pass"),
                kRefused, "it is not a shared library");
  ExpectRefused(folder_.Write("half.so", bytes_.substr(0, 5000)), kRefused,
                "it is a damaged shared library");
  std::string other_machine = bytes_;
  other_machine[18] = 2;  // e_machine: SPARC
  ExpectRefused(folder_.Write("sparc.so", other_machine), kRefused,
                "not a shared library for this kind of machine");
  ExpectRefused("/lib/x86_64-linux-gnu/libm.so.6", kRefused,
                "one of its files must have REKINDLE_MODULE()");
  ExpectRefused(WithField(0, "another"), kRefused, "descriptor is damaged");
}

TEST_F(ModuleLoaderTest, DamagedFilesAreReadWithoutACrash) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::minstd_rand random(seed);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = bytes_;
    // Headers are at both ends; the symbol table is behind the first.
    for (int changes = 0; changes < 8; ++changes) {
      const size_t range = random() % 2 == 0 ? 4096 : damaged.size();
      damaged[random() % range] = static_cast<char>(random());
    }
    if (random() % 2 == 0) damaged.erase(random() % damaged.size());
    ReadElfSymbol(damaged, "rekindle_module_descriptor").status().IgnoreError();
  }
}

TEST_F(ModuleLoaderTest, AModuleRunsWithWhatTheStepSays) {
  const auto module = LoadModule(REKINDLE_TRACED_MODULE);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "trace"));
  ASSERT_TRUE(module->has_run_fn());

  auto writer =
      OpenTfRecordWriter(folder_ / "a.gz", TfRecordCompression::kGzip);
  for (int i = 0; i < 7; ++i) ASSERT_TRUE((*writer)->Write("example").ok());
  ASSERT_TRUE((*writer)->Close().ok());
  ExecutorInput input;
  input.train_files = {folder_ / "*.gz"};
  input.model_run_dir = folder_.path();
  const absl::Status ran = module->RunFn(MakeFnArgs(input, NeverStop));
  EXPECT_TRUE(ran.ok()) << ran;
  EXPECT_EQ(*ReadWholeFile(folder_ / "examples"), "7");
}

TEST_F(ModuleLoaderTest, AModuleThatFailsOrThrowsIsSaid) {
  const auto module = LoadModule(REKINDLE_TRACED_MODULE);
  ASSERT_TRUE(module.ok()) << module.status();
  ExecutorInput input;
  input.custom_config = {{"fail", true}};
  EXPECT_EQ(module->RunFn(MakeFnArgs(input, NeverStop)),
            absl::AbortedError("asked to fail"));
  input.custom_config = {{"throw", true}};
  EXPECT_THAT(
      std::string(module->RunFn(MakeFnArgs(input, NeverStop)).message()),
      HasSubstr("threw: asked to"));
}

}  // namespace
}  // namespace rekindle
