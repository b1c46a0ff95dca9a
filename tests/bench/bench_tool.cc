// What tests/bench/metadata_bench lets our side do; each command prints one
// line of JSON.
//
//   bench_tool generate STORE ARTIFACTS
//   bench_tool replay STORE REQUESTS THREADS
//   bench_tool gets-during-listing STORE ARTIFACTS
//
// STORE is sqlite:PATH or grpc://HOST:PORT. The time is that of the calls
// alone: the store is open and the requests are in memory before it starts.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "metadata/api/open_store.h"
#include "nlohmann/json.hpp"
#include "tests/bench/bench_graph.h"
#include "tests/bench/request_log.h"

namespace rekindle {
namespace {

using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

double SecondsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// How often this process has made a file durable; 0 if nobody counts.
int64_t FsyncCount() {
  using Function = long (*)();
  static const auto count =
      reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "rk_fsync_count"));
  return count == nullptr ? 0 : count();
}

absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& where) {
  return OpenStore(where, SystemClock());
}

absl::StatusOr<json> GenerateCommand(const std::vector<std::string>& args) {
  int64_t artifacts = 0;
  if (!absl::SimpleAtoi(args[1], &artifacts)) {
    return absl::InvalidArgumentError("ARTIFACTS must be a number");
  }
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Open(args[0]));
  const auto start = SteadyClock::now();
  RK_ASSIGN_OR_RETURN(const BenchGraph graph,
                      PutBenchGraph(artifacts, store->metadata()));
  return json{{"seconds", SecondsSince(start)},
              {"chain_end", graph.chain_end},
              {"fan_out", graph.fan_out}};
}

absl::StatusOr<json> ReplayCommand(const std::vector<std::string>& args) {
  int threads = 0;
  if (!absl::SimpleAtoi(args[2], &threads) || threads < 1) {
    return absl::InvalidArgumentError("THREADS must be a positive number");
  }
  RK_ASSIGN_OR_RETURN(const std::vector<LoggedRequest> requests,
                      ReadRequests(args[1]));
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Open(args[0]));
  std::atomic<size_t> next = 0;
  std::atomic<size_t> bytes = 0;
  std::vector<absl::Status> first_errors(threads);
  const auto work = [&](int thread) {
    size_t i;
    while ((i = next.fetch_add(1)) < requests.size()) {
      const auto answer = Replay(requests[i], store->metadata());
      if (answer.ok()) bytes += answer->size();
      first_errors[thread].Update(answer.status());
    }
  };
  const int64_t fsyncs = FsyncCount();
  const auto start = SteadyClock::now();
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& thread : others) thread.join();
  const double seconds = SecondsSince(start);
  for (const absl::Status& error : first_errors) RK_RETURN_IF_ERROR(error);
  return json{{"seconds", seconds},
              {"calls", requests.size()},
              {"answer_bytes", bytes.load()},
              {"fsyncs", FsyncCount() - fsyncs}};
}

// Lists everything page by page; returns how many there were.
absl::StatusOr<int64_t> ListAll(const MetadataStore& store) {
  using Field = ml_metadata::ListOperationOptions::OrderByField;
  ml_metadata::GetArtifactsRequest request;
  request.mutable_options()->set_max_result_size(100);
  request.mutable_options()->mutable_order_by_field()->set_field(Field::ID);
  request.mutable_options()->mutable_order_by_field()->set_is_asc(true);
  int64_t listed = 0;
  while (true) {
    RK_ASSIGN_OR_RETURN(const auto page, store.GetArtifacts(request));
    listed += page.artifacts_size();
    if (page.next_page_token().empty()) return listed;
    request.mutable_options()->set_next_page_token(page.next_page_token());
  }
}

absl::StatusOr<json> GetsDuringListingCommand(
    const std::vector<std::string>& args) {
  int64_t artifacts = 0;
  if (!absl::SimpleAtoi(args[1], &artifacts) || artifacts < 1) {
    return absl::InvalidArgumentError("ARTIFACTS must be a positive number");
  }
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Open(args[0]));
  std::atomic<bool> listing = true;
  absl::StatusOr<int64_t> listed = 0;
  const auto start = SteadyClock::now();
  std::thread lister([&] {
    listed = ListAll(store->metadata());
    listing = false;
  });
  std::vector<double> millis;
  absl::Status failed;
  for (int64_t i = 0; listing && failed.ok(); ++i) {
    ml_metadata::GetArtifactsByIDRequest request;
    request.add_artifact_ids(1 + i * 7919 % artifacts);
    const auto begin = SteadyClock::now();
    failed.Update(store->metadata().GetArtifactsByID(request).status());
    millis.push_back(SecondsSince(begin) * 1000);
  }
  lister.join();
  RK_RETURN_IF_ERROR(failed);
  RK_RETURN_IF_ERROR(listed.status());
  std::sort(millis.begin(), millis.end());
  return json{{"seconds", SecondsSince(start)},
              {"listed", *listed},
              {"gets", millis.size()},
              {"p50_millis", millis[millis.size() / 2]},
              {"p99_millis", millis[millis.size() * 99 / 100]}};
}

struct Command {
  const char* name;
  size_t arguments;
  absl::StatusOr<json> (*run)(const std::vector<std::string>& arguments);
};

constexpr Command kCommands[] = {
    {"generate", 2, GenerateCommand},
    {"replay", 3, ReplayCommand},
    {"gets-during-listing", 2, GetsDuringListingCommand},
};

int Main(const std::vector<std::string>& arguments) {
  for (const Command& command : kCommands) {
    if (arguments.size() != command.arguments + 1 ||
        arguments[0] != command.name) {
      continue;
    }
    const auto answer = command.run({arguments.begin() + 1, arguments.end()});
    if (answer.ok()) {
      std::cout << answer->dump(-1, ' ', false,
                                nlohmann::json::error_handler_t::replace)
                << '\n';
      return 0;
    }
    std::cerr << "bench_tool: " << answer.status() << '\n';
    return 1;
  }
  std::cerr << "usage: bench_tool generate STORE ARTIFACTS\n"
               "       bench_tool replay STORE REQUESTS THREADS\n"
               "       bench_tool gets-during-listing STORE ARTIFACTS\n";
  return 2;
}

}  // namespace
}  // namespace rekindle

// NOLINTNEXTLINE(bugprone-exception-escape): only json's, which is told not to.
int main(int argc, char** argv) {
  return rekindle::Main({argv + 1, argv + argc});
}
