// Kills the metadata server again and again while 16 writers write, and shows
// after each restart that nothing that was acknowledged is lost or torn.
//
//   soak --rekindle PROGRAM [--seconds N | --minutes N] [--seed N] [--dir DIR]
//        [--lose TABLE]
//
// --lose deletes a row of the database behind the server's back after each
// kill: the run must then fail, which shows that it can.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <random>
#include <stdlib.h>  // mkdtemp
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "metadata/api/grpc_store.h"
#include "metadata/api/open_store.h"
#include "tests/soak/claims.h"
#include "tests/soak/operation.h"
#include "tests/soak/served_database.h"
#include "tests/soak/verifier.h"
#include "tests/soak/writer.h"

namespace rekindle::soak {
namespace {

constexpr int kWriters = 16;
// A fresh database begins now and then, after everything in the old one was
// compared once more; that bounds what a round costs.
constexpr int kRoundsPerDatabase = 25;

struct Options {
  std::string rekindle;
  absl::Duration time = absl::Seconds(20);
  uint64_t seed = std::random_device()();
  std::string dir = std::filesystem::temp_directory_path();
  std::string lose;
};

absl::StatusOr<uint64_t> ToNumber(const std::string& flag,
                                  const std::string& text) {
  uint64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return number;
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": '", text, "' is not a whole number"));
}

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& words) {
  Options options;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& flag = words[i];
    const std::string& value = words[i + 1];
    if (flag == "--rekindle") {
      options.rekindle = value;
    } else if (flag == "--dir") {
      options.dir = value;
    } else if (flag == "--lose") {
      options.lose = value;
    } else if (flag == "--seed") {
      RK_ASSIGN_OR_RETURN(options.seed, ToNumber(flag, value));
    } else if (flag == "--seconds" || flag == "--minutes") {
      RK_ASSIGN_OR_RETURN(const uint64_t number, ToNumber(flag, value));
      options.time =
          static_cast<double>(number) *
          (flag == "--minutes" ? absl::Minutes(1) : absl::Seconds(1));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("unknown flag ", flag));
    }
  }
  if (words.size() % 2 != 0 || options.rekindle.empty()) {
    return absl::InvalidArgumentError(
        "usage: soak --rekindle PROGRAM [--seconds N | --minutes N] [--seed N] "
        "[--dir DIR] [--lose TABLE]");
  }
  return options;
}

struct Totals {
  int databases = 0;
  int kills = 0;
  int kills_while_starting = 0;
  int64_t claims = 0;
  WriteCounts writes;
  VerifyCounts verified;
};

// One database, its writers, and the server that is killed.
class Trial {
 public:
  Trial(const Options& options, std::string file, std::mt19937_64& chance)
      : options_(options), file_(std::move(file)), chance_(chance) {}

  // Rounds until `end`, then the comparison of everything.
  absl::Status Run(absl::Time end, Totals& totals) {
    RK_RETURN_IF_ERROR(MakeWriters());
    for (int round = 0; round < kRoundsPerDatabase && absl::Now() < end;
         ++round) {
      RK_RETURN_IF_ERROR(WriteAndKill(round));
      ++totals.kills;
      if (!options_.lose.empty()) {
        RK_RETURN_IF_ERROR(LoseRow(file_, options_.lose));
      }
      RK_RETURN_IF_ERROR(Restart(totals));
      RK_RETURN_IF_ERROR(CheckIntegrity(file_));
      RK_RETURN_IF_ERROR(EachWriter(&Writer::VerifyRecent));
    }
    RK_RETURN_IF_ERROR(EachWriter(&Writer::VerifyAll));
    RK_RETURN_IF_ERROR(server_->Stop());
    RK_RETURN_IF_ERROR(CheckIntegrity(file_));
    AddTo(totals);
    return absl::OkStatus();
  }

 private:
  absl::Status MakeWriters() {
    RK_RETURN_IF_ERROR(Start());
    const std::unique_ptr<Store> store = ConnectGrpcStore(address_);
    RK_ASSIGN_OR_RETURN(const auto ids,
                        store->metadata().PutTypes(MakePutTypes()));
    const TypeIds types = {ids.artifact_type_ids(0), ids.execution_type_ids(0),
                           ids.context_type_ids(0), ids.context_type_ids(1)};
    for (int i = 0; i < kWriters; ++i) {
      writers_.push_back(
          std::make_unique<Writer>(options_.seed, i, types, claims_));
    }
    return absl::OkStatus();
  }

  absl::Status Start() {
    RK_ASSIGN_OR_RETURN(server_,
                        ServedDatabase::Start(options_.rekindle, file_));
    RK_ASSIGN_OR_RETURN(address_, server_->WaitUntilListening());
    return absl::OkStatus();
  }

  // Sometimes it is killed while it starts, in the middle of its recovery.
  absl::Status Restart(Totals& totals) {
    while (chance_() % 4 == 0) {
      RK_ASSIGN_OR_RETURN(server_,
                          ServedDatabase::Start(options_.rekindle, file_));
      std::this_thread::sleep_for(
          std::chrono::microseconds(chance_() % 60'000));
      server_->Kill();
      ++totals.kills_while_starting;
    }
    return Start();
  }

  absl::Status WriteAndKill(int round) {
    std::future<absl::Status> writing =
        std::async(std::launch::async, [this, round] {
          return Each([round](Writer& writer, Store& store) {
            return writer.WriteUntilGone(store, round);
          });
        });
    // Sometimes among the first writes, sometimes among many.
    const uint64_t longest_millis = chance_() % 2 == 0 ? 100 : 2000;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1 + chance_() % longest_millis));
    server_->Kill();
    return writing.get();
  }

  absl::Status EachWriter(absl::Status (Writer::*work)(Store&)) {
    return Each(
        [work](Writer& writer, Store& store) { return (writer.*work)(store); });
  }

  // Does `work` for all writers at the same time, each with a connection of its
  // own; the first error.
  absl::Status Each(const std::function<absl::Status(Writer&, Store&)>& work) {
    std::vector<std::future<absl::Status>> done;
    for (const auto& writer : writers_) {
      done.push_back(std::async(std::launch::async, [&work, &writer, this] {
        const std::unique_ptr<Store> store = ConnectGrpcStore(address_);
        return work(*writer, *store);
      }));
    }
    absl::Status first;
    for (auto& one : done) first.Update(one.get());
    return first;
  }

  void AddTo(Totals& totals) const {
    ++totals.databases;
    totals.claims += static_cast<int64_t>(claims_.count());
    for (const auto& writer : writers_) {
      totals.writes += writer->write_counts();
      totals.verified += writer->verify_counts();
    }
  }

  const Options& options_;
  const std::string file_;
  std::mt19937_64& chance_;
  Claims claims_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::unique_ptr<ServedDatabase> server_;
  std::string address_;
};

absl::Status RunTrials(const Options& options, const std::string& folder,
                       Totals& totals) {
  std::mt19937_64 chance(options.seed);
  const absl::Time start = absl::Now();
  const absl::Time end = start + options.time;
  while (absl::Now() < end) {
    const std::string file = absl::StrCat(folder, "/", totals.databases, ".db");
    RK_RETURN_IF_ERROR(Trial(options, file, chance).Run(end, totals));
    for (const char* part : {"", "-wal", "-shm"}) {
      std::filesystem::remove(absl::StrCat(file, part));
    }
    std::cout << absl::StrFormat(
                     "soak: %4.0f s, %d kills, %d writes acknowledged",
                     absl::ToDoubleSeconds(absl::Now() - start), totals.kills,
                     totals.writes.acknowledged)
              << '\n'
              << std::flush;
  }
  return absl::OkStatus();
}

void Print(const Options& options, const Totals& totals) {
  std::cout << absl::StrFormat(
      "soak: seed %d, %d writers, %d databases, %d kills while writing and %d "
      "while starting\n"
      "soak: %d writes acknowledged, none lost; %d unanswered; of those that "
      "leave a trace %d are stored whole, %d not at all\n"
      "soak: %d claims granted, no token twice, %d refused while held\n"
      "soak: %d operations compared, exactly; integrity_check ok each time\n",
      options.seed, kWriters, totals.databases, totals.kills,
      totals.kills_while_starting, totals.writes.acknowledged,
      totals.writes.unanswered, totals.verified.found_stored,
      totals.verified.found_absent, totals.claims, totals.writes.refused_claims,
      totals.verified.verified);
}

absl::Status Main(const std::vector<std::string>& words) {
  RK_ASSIGN_OR_RETURN(const Options options, ParseOptions(words));
  std::cout << "soak: seed " << options.seed << ", for "
            << absl::FormatDuration(options.time) << '\n'
            << std::flush;
  std::string folder = absl::StrCat(options.dir, "/rekindle-soak-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("cannot make a folder in ", options.dir));
  }
  Totals totals;
  const absl::Status status = RunTrials(options, folder, totals);
  if (!status.ok() && options.lose.empty()) {
    return WithNote(status, absl::StrCat("seed ", options.seed,
                                         "; the database is in ", folder));
  }
  std::filesystem::remove_all(folder);
  RK_RETURN_IF_ERROR(status);
  Print(options, totals);
  return absl::OkStatus();
}

}  // namespace
}  // namespace rekindle::soak

int main(int argc, char** argv) {
  const absl::Status status = rekindle::soak::Main({argv + 1, argv + argc});
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << "soak: FAILED: " << status.ToString() << '\n';
  return EXIT_FAILURE;
}
