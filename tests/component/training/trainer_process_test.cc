// rekindle-trainer as its launcher sees it: flags, signals, exit codes, files.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <spawn.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/component/training/training_data.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

// A running rekindle-trainer whose output, both streams, is read by the test.
class TrainerProcess {
 public:
  explicit TrainerProcess(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), REKINDLE_TRAINER);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2] = {};
    EXPECT_EQ(pipe(ends), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    EXPECT_EQ(
        posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ),
        0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
  }
  TrainerProcess(const TrainerProcess&) = delete;
  TrainerProcess& operator=(const TrainerProcess&) = delete;
  ~TrainerProcess() { std::fclose(output_); }

  // Reads lines until one starts with `prefix`; false at the end.
  bool ReadUntil(const std::string& prefix) {
    char line[4096];
    while (std::fgets(line, sizeof(line), output_) != nullptr) {
      text_ += line;
      if (std::string(line).starts_with(prefix)) return true;
    }
    return false;
  }

  void Signal(int signal) const { kill(pid_, signal); }

  // Waits for the end; returns the exit code, or -1 when a signal killed it.
  int Wait() {
    while (ReadUntil("\n")) {
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const std::string& text() const { return text_; }

 private:
  pid_t pid_ = 0;
  std::FILE* output_ = nullptr;
  std::string text_;
};

class TrainerProcessTest : public ::testing::Test {
 protected:
  // Writes `input` where the process reads it; returns the flag.
  std::string InputFlag(const ExecutorInput& input) {
    const std::string path = folder_ / "executor_input.json";
    EXPECT_TRUE(WriteExecutorInput(input, path).ok());
    return "--executor-input=" + path;
  }

  ExecutorInput Input() { return MakeTrainingInput(folder_.path(), "run"); }

  // Exit code after `signal` in the middle of training.
  int ExitAfter(int signal) {
    ExecutorInput input = Input();
    input.train_steps = 1'000'000'000;
    TrainerProcess process({InputFlag(input)});
    EXPECT_TRUE(process.ReadUntil("train |")) << process.text();
    process.Signal(signal);
    return process.Wait();
  }

  TempDir folder_;
};

TEST_F(TrainerProcessTest, TrainsAndWritesItsOutput) {
  const ExecutorInput input = Input();
  TrainerProcess process({InputFlag(input)});
  EXPECT_EQ(process.Wait(), 0) << process.text();
  const auto output = ReadExecutorOutput(input.output_path);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_TRUE(output->train_complete);
  EXPECT_FALSE(output->error.has_value());
  EXPECT_FALSE(output->environment.at("tensorflow_version").empty());
}

TEST_F(TrainerProcessTest, SigtermLeavesACheckpointThatARetryContinuesFrom) {
  EXPECT_EQ(ExitAfter(SIGTERM), 128 + SIGTERM);
  ExecutorInput input = Input();
  EXPECT_FALSE(std::filesystem::exists(input.serving_model_dir));
  const auto stopped = ReadExecutorOutput(input.output_path);
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_EQ(stopped->error->code,
            static_cast<int>(absl::StatusCode::kCancelled));

  input.train_steps = stopped->global_step + 10;
  TrainerProcess retry({InputFlag(input)});
  EXPECT_EQ(retry.Wait(), 0) << retry.text();
  const auto output = ReadExecutorOutput(input.output_path);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->resumed_from_step, stopped->global_step);
}

TEST_F(TrainerProcessTest, SigintStopsItToo) {
  EXPECT_EQ(ExitAfter(SIGINT), 128 + SIGINT);
}

TEST_F(TrainerProcessTest, AFailureIsOneSentenceAndInTheOutput) {
  ExecutorInput input = Input();
  input.custom_config = {{"label_key", "colour"}};
  TrainerProcess process({InputFlag(input)});
  EXPECT_EQ(process.Wait(), 1);
  EXPECT_THAT(process.text(), HasSubstr("rekindle-trainer: schema '"));
  // Behind the line that names the devices.
  EXPECT_EQ(std::ranges::count(process.text(), '\n'), 2) << process.text();
  const auto output = ReadExecutorOutput(input.output_path);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(output->error->message, HasSubstr("no feature 'colour'"));
}

TEST_F(TrainerProcessTest, WrongUsageIsExitCodeTwo) {
  const std::vector<std::vector<std::string>> usages = {
      {},
      {"train"},
      {"--unknown=1"},
      {"--help=1"},
      {"--mode=dream"},
      {"--mode=predict", "--saved_model=x"},
      {"--executor_input"},
      {"--mode=train", "--mode=train"}};
  for (const auto& arguments : usages) {
    TrainerProcess process(arguments);
    EXPECT_EQ(process.Wait(), 2) << process.text();
    EXPECT_THAT(process.text(), HasSubstr("rekindle-trainer: "));
  }
}

TEST_F(TrainerProcessTest, HelpAndVersionAnswer) {
  TrainerProcess help({"--help"});
  EXPECT_EQ(help.Wait(), 0);
  EXPECT_THAT(help.text(), HasSubstr("Usage: rekindle-trainer"));
  TrainerProcess version({"--version"});
  EXPECT_EQ(version.Wait(), 0);
  EXPECT_THAT(version.text(), HasSubstr("rekindle-trainer "));
}

TEST_F(TrainerProcessTest, ValidatingLoadsAModelAndAsksIt) {
  const ExecutorInput input = Input();
  TrainerProcess trained({InputFlag(input)});
  ASSERT_EQ(trained.Wait(), 0) << trained.text();
  const std::vector<std::string> validate = {
      "--mode=validate", "--saved_model=" + input.serving_model_dir,
      "--examples=" + input.eval_files.front()};
  TrainerProcess good(validate);
  EXPECT_EQ(good.Wait(), 0) << good.text();

  std::filesystem::resize_file(
      input.serving_model_dir + "/variables/variables.data-00000-of-00001", 8);
  TrainerProcess cut_short(validate);
  EXPECT_EQ(cut_short.Wait(), 1);
  EXPECT_THAT(cut_short.text(), HasSubstr("does not load"));
}

TEST_F(TrainerProcessTest, PredictingWithoutAModelFails) {
  TrainerProcess process(
      {"--mode", "predict", "--saved-model", "/no/model", "--examples", "x"});
  EXPECT_EQ(process.Wait(), 1);
  EXPECT_THAT(process.text(),
              HasSubstr("there is no SavedModel in '/no/model'"));
}

}  // namespace
}  // namespace rekindle
