// Does one thing wrong, or right, from two threads: races NAME. ThreadSanitizer
// must tell the one from the other, with the suppressions of tests/tsan.supp.
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/codegen/method_handler.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/byte_buffer.h>

#include "absl/synchronization/barrier.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"

namespace {

constexpr int kRounds = 1000;

void InTwoThreads(const std::function<void()>& act) {
  std::thread other(act);
  act();
  other.join();
}

void Unguarded() {
  int count = 0;
  InTwoThreads([&count] {
    for (int i = 0; i < kRounds; ++i) ++count;
  });
}

void Guarded() {
  int count = 0;
  absl::Mutex mutex;
  InTwoThreads([&] {
    for (int i = 0; i < kRounds; ++i) {
      const absl::MutexLock lock(&mutex);
      ++count;
    }
  });
}

// The condition is looked at by whoever unlocks.
void Awaited() {
  int count = 0;
  absl::Mutex mutex;
  const auto is_even = [&count] { return count % 2 == 0; };
  const auto is_odd = [&count] { return count % 2 == 1; };
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      const absl::MutexLock lock(&mutex, absl::Condition(&is_odd));
      ++count;
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    const absl::MutexLock lock(&mutex);
    mutex.Await(absl::Condition(&is_even));
    ++count;
  }
  other.join();
}

void Notified() {
  int count = 0;
  absl::Notification done;
  std::thread other([&] {
    ++count;
    done.Notify();
  });
  while (!done.HasBeenNotified()) std::this_thread::yield();
  ++count;
  other.join();
}

// A service whose only call does `act`.
class Service : public grpc::Service {
 public:
  explicit Service(std::function<void()> act) : act_(std::move(act)) {
    using Handler = grpc::internal::RpcMethodHandler<Service, grpc::ByteBuffer,
                                                     grpc::ByteBuffer>;
    AddMethod(new grpc::internal::RpcServiceMethod(
        kPath, grpc::internal::RpcMethod::NORMAL_RPC,
        new Handler(
            [](Service* self, grpc::ServerContext*, const grpc::ByteBuffer*,
               grpc::ByteBuffer* answer) {
              self->act_();
              *answer = Nothing();
              return grpc::Status::OK;
            },
            this)));
  }

  static void Call(int port) {
    const auto channel =
        grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                            grpc::InsecureChannelCredentials());
    grpc::ClientContext context;
    const grpc::internal::RpcMethod method(
        kPath, grpc::internal::RpcMethod::NORMAL_RPC);
    grpc::ByteBuffer answer;
    const grpc::Status status =
        grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
            channel.get(), method, &context, Nothing(), &answer);
    if (!status.ok()) std::cerr << status.error_message() << '\n';
  }

 private:
  static constexpr char kPath[] = "/some.Service/Call";

  static grpc::ByteBuffer Nothing() {
    const grpc::Slice nothing;
    return {&nothing, 1};
  }

  const std::function<void()> act_;
};

// Both calls are under way before either acts.
void InHandlers(const std::function<void()>& act) {
  auto* const meeting = new absl::Barrier(2);
  Service service([&] {
    // Until the other call is here.
    if (meeting->Block()) delete meeting;
    act();
  });
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  InTwoThreads([port] { Service::Call(port); });
  server->Shutdown();
}

void UnguardedInHandlers() {
  int count = 0;
  InHandlers([&count] {
    for (int i = 0; i < kRounds; ++i) ++count;
  });
}

void GuardedInHandlers() {
  int count = 0;
  absl::Mutex mutex;
  InHandlers([&] {
    for (int i = 0; i < kRounds; ++i) {
      const absl::MutexLock lock(&mutex);
      ++count;
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> all = {
      {"unguarded", Unguarded},
      {"guarded", Guarded},
      {"awaited", Awaited},
      {"notified", Notified},
      {"unguarded_in_handlers", UnguardedInHandlers},
      {"guarded_in_handlers", GuardedInHandlers},
  };
  const auto found = all.find(argc > 1 ? argv[1] : "");
  if (found == all.end()) {
    std::cerr << "races: name one of its cases\n";
    return 2;
  }
  found->second();
  return 0;
}
