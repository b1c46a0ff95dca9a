// Tells ThreadSanitizer of absl's locks, and of what gRPC hands from thread to
// thread. Debian's libraries are not built with it, so what they synchronise
// would look as if nothing did. Programs, and gRPC, find the functions below
// before the libraries' own (cmake/sanitizers.cmake), which they then call.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <utility>

#include <grpc/grpc.h>
#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"

namespace {

constexpr unsigned kWrite = 0;
constexpr unsigned kRead = __tsan_mutex_read_lock;

// A library's own function; absl's take the object first, as members do.
template <typename Function>
Function* Own(const char* mangled) {
  void* const found = dlsym(RTLD_NEXT, mangled);
  if (found == nullptr) {
    std::fprintf(stderr,
                 "absl_locks: no library has %s; name it anew in "
                 "tests/tsan/absl_locks.cc.\n",
                 mangled);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

// Where gRPC's code lies.
class GrpcCode {
 public:
  GrpcCode() {
    dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* self) {
          const char* const name = std::strrchr(library->dlpi_name, '/');
          if (name != nullptr && (std::strncmp(name, "/libgrpc", 8) == 0 ||
                                  std::strncmp(name, "/libgpr", 7) == 0)) {
            static_cast<GrpcCode*>(self)->Add(*library);
          }
          return 0;
        },
        this);
  }

  bool Has(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    for (int i = 0; i < count_; ++i) {
      if (parts_[i].begin <= at && at < parts_[i].end) return true;
    }
    return false;
  }

 private:
  struct Part {
    uintptr_t begin;
    uintptr_t end;
  };

  void Add(const dl_phdr_info& library) {
    for (int i = 0; i < library.dlpi_phnum && count_ < kMost; ++i) {
      const auto& part = library.dlpi_phdr[i];
      const uintptr_t begin = library.dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_LOAD)
        parts_[count_++] = {begin, begin + part.p_memsz};
    }
  }

  static constexpr int kMost = 32;
  Part parts_[kMost] = {};
  int count_ = 0;
};

bool IsGrpc(const void* caller) {
  static const GrpcCode grpc;
  return grpc.Has(caller);
}

// Some of absl's functions call others of them: only the outermost counts.
thread_local int depth = 0;

// The locks that this thread holds for gRPC. Who leaves one cannot be told by
// its caller, because that may be gone from the stack.
class HeldByGrpc {
 public:
  void Add(const absl::Mutex* mutex) {
    if (count_ < kMost) held_[count_++] = mutex;
  }
  bool Remove(const absl::Mutex* mutex) {
    for (int i = count_ - 1; i >= 0; --i) {
      if (held_[i] != mutex) continue;
      held_[i] = held_[--count_];
      return true;
    }
    return false;
  }

 private:
  static constexpr int kMost = 64;
  const absl::Mutex* held_[kMost] = {};
  int count_ = 0;
};
thread_local HeldByGrpc held_by_grpc;

// What is done to a lock. ThreadSanitizer looks at our use of locks; of gRPC's
// it learns only what they order, because it does not see who may free them.
// It looks at nothing between the beginning and the end, such as conditions.
class Seen {
 public:
  Seen(absl::Mutex* mutex, unsigned how, const void* caller)
      : mutex_(mutex),
        how_(how),
        outermost_(depth++ == 0),
        ours_(outermost_ && !IsGrpc(caller)) {}
  ~Seen() { --depth; }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  void BeginToLeave() {
    if (!outermost_) return;
    ours_ = !held_by_grpc.Remove(mutex_);
    if (ours_) {
      __tsan_mutex_pre_unlock(mutex_, how_);
    } else {
      __tsan_release(mutex_);
    }
  }
  void HasLeft() const {
    if (ours_) __tsan_mutex_post_unlock(mutex_, how_);
  }
  void BeginToTake() const {
    if (ours_) __tsan_mutex_pre_lock(mutex_, how_);
  }
  void HasTaken(bool taken = true) const {
    if (ours_) {
      const unsigned failed = taken ? 0 : __tsan_mutex_try_lock_failed;
      __tsan_mutex_post_lock(mutex_, how_ | failed, 0);
    } else if (outermost_ && taken) {
      __tsan_acquire(mutex_);
      held_by_grpc.Add(mutex_);
    }
  }

 private:
  absl::Mutex* const mutex_;
  const unsigned how_;
  const bool outermost_;
  bool ours_;
};

template <typename Take>
bool Taking(Seen&& seen, const Take& take) {
  seen.BeginToTake();
  const bool result = take();
  seen.HasTaken();
  return result;
}

template <typename Take>
bool Trying(Seen&& seen, const Take& take) {
  seen.BeginToTake();
  const bool taken = take();
  seen.HasTaken(taken);
  return taken;
}

template <typename Leave>
void Leaving(Seen&& seen, const Leave& leave) {
  seen.BeginToLeave();
  leave();
  seen.HasLeft();
}

// A wait leaves the lock and takes it again.
template <typename Wait>
bool Waiting(Seen&& seen, const Wait& wait) {
  seen.BeginToLeave();
  seen.HasLeft();
  return Taking(std::move(seen), wait);
}

// What gRPC's queues order: without locks, and for all of them at once. Calls
// that overlap in time are not ordered by it.
char handed_over = 0;

// Where HasBeenNotified(), which is compiled into our code, looks.
void* NotifiedYet(const absl::Notification* notification) {
  return reinterpret_cast<char*>(
             const_cast<absl::Notification*>(notification)) +
         sizeof(absl::Mutex);
}

}  // namespace

// The name is what follows the namespace in the mangled one.
#define RK_CALLER __builtin_return_address(0)
#define RK_OWN(type, name) \
  static auto* const own = Own<type>("_ZN4absl7debian3" name)
#define RK_OWN_CONST(type, name) \
  static auto* const own = Own<type>("_ZNK4absl7debian3" name)

namespace absl {
ABSL_NAMESPACE_BEGIN

Mutex::~Mutex() {
  RK_OWN(void(Mutex*), "5MutexD1Ev");
  if (!IsGrpc(RK_CALLER)) __tsan_mutex_destroy(this, 0);
  own(this);
}

void Mutex::Lock() {
  RK_OWN(void(Mutex*), "5Mutex4LockEv");
  Taking({this, kWrite, RK_CALLER}, [this] { return own(this), true; });
}

void Mutex::Unlock() {
  RK_OWN(void(Mutex*), "5Mutex6UnlockEv");
  Leaving({this, kWrite, RK_CALLER}, [this] { return own(this), true; });
}

bool Mutex::TryLock() {
  RK_OWN(bool(Mutex*), "5Mutex7TryLockEv");
  return Trying({this, kWrite | __tsan_mutex_try_lock, RK_CALLER},
                [this] { return own(this); });
}

void Mutex::ReaderLock() {
  RK_OWN(void(Mutex*), "5Mutex10ReaderLockEv");
  Taking({this, kRead, RK_CALLER}, [this] { return own(this), true; });
}

void Mutex::ReaderUnlock() {
  RK_OWN(void(Mutex*), "5Mutex12ReaderUnlockEv");
  Leaving({this, kRead, RK_CALLER}, [this] { return own(this), true; });
}

bool Mutex::ReaderTryLock() {
  RK_OWN(bool(Mutex*), "5Mutex13ReaderTryLockEv");
  return Trying({this, kRead | __tsan_mutex_try_lock, RK_CALLER},
                [this] { return own(this); });
}

void Mutex::Await(const Condition& condition) {
  RK_OWN(void(Mutex*, const Condition&), "5Mutex5AwaitERKNS0_9ConditionE");
  Waiting({this, kWrite, RK_CALLER},
          [&] { return own(this, condition), true; });
}

bool Mutex::AwaitWithTimeout(const Condition& condition, Duration timeout) {
  RK_OWN(bool(Mutex*, const Condition&, Duration),
         "5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE");
  return Waiting({this, kWrite, RK_CALLER},
                 [&] { return own(this, condition, timeout); });
}

bool Mutex::AwaitWithDeadline(const Condition& condition, Time deadline) {
  RK_OWN(bool(Mutex*, const Condition&, Time),
         "5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE");
  return Waiting({this, kWrite, RK_CALLER},
                 [&] { return own(this, condition, deadline); });
}

void Mutex::LockWhen(const Condition& condition) {
  RK_OWN(void(Mutex*, const Condition&), "5Mutex8LockWhenERKNS0_9ConditionE");
  Taking({this, kWrite, RK_CALLER}, [&] { return own(this, condition), true; });
}

void Mutex::ReaderLockWhen(const Condition& condition) {
  RK_OWN(void(Mutex*, const Condition&),
         "5Mutex14ReaderLockWhenERKNS0_9ConditionE");
  Taking({this, kRead, RK_CALLER}, [&] { return own(this, condition), true; });
}

bool Mutex::LockWhenWithTimeout(const Condition& condition, Duration timeout) {
  RK_OWN(bool(Mutex*, const Condition&, Duration),
         "5Mutex19LockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE");
  return Taking({this, kWrite, RK_CALLER},
                [&] { return own(this, condition, timeout); });
}

bool Mutex::LockWhenWithDeadline(const Condition& condition, Time deadline) {
  RK_OWN(bool(Mutex*, const Condition&, Time),
         "5Mutex20LockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE");
  return Taking({this, kWrite, RK_CALLER},
                [&] { return own(this, condition, deadline); });
}

bool Mutex::ReaderLockWhenWithTimeout(const Condition& condition,
                                      Duration timeout) {
  RK_OWN(bool(Mutex*, const Condition&, Duration),
         "5Mutex25ReaderLockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE");
  return Taking({this, kRead, RK_CALLER},
                [&] { return own(this, condition, timeout); });
}

bool Mutex::ReaderLockWhenWithDeadline(const Condition& condition,
                                       Time deadline) {
  RK_OWN(bool(Mutex*, const Condition&, Time),
         "5Mutex26ReaderLockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE");
  return Taking({this, kRead, RK_CALLER},
                [&] { return own(this, condition, deadline); });
}

void CondVar::Wait(Mutex* mutex) {
  RK_OWN(void(CondVar*, Mutex*), "7CondVar4WaitEPNS0_5MutexE");
  Waiting({mutex, kWrite, RK_CALLER}, [&] { return own(this, mutex), true; });
}

bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  RK_OWN(bool(CondVar*, Mutex*, Duration),
         "7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  return Waiting({mutex, kWrite, RK_CALLER},
                 [&] { return own(this, mutex, timeout); });
}

bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  RK_OWN(bool(CondVar*, Mutex*, Time),
         "7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  return Waiting({mutex, kWrite, RK_CALLER},
                 [&] { return own(this, mutex, deadline); });
}

void Notification::Notify() {
  RK_OWN(void(Notification*), "12Notification6NotifyEv");
  __tsan_release(NotifiedYet(this));
  own(this);
}

void Notification::WaitForNotification() const {
  RK_OWN_CONST(void(const Notification*),
               "12Notification19WaitForNotificationEv");
  own(this);
  __tsan_acquire(NotifiedYet(this));
}

bool Notification::WaitForNotificationWithTimeout(Duration timeout) const {
  RK_OWN_CONST(bool(const Notification*, Duration),
               "12Notification30WaitForNotificationWithTimeoutENS0_8DurationE");
  const bool notified = own(this, timeout);
  if (notified) __tsan_acquire(NotifiedYet(this));
  return notified;
}

bool Notification::WaitForNotificationWithDeadline(Time deadline) const {
  RK_OWN_CONST(bool(const Notification*, Time),
               "12Notification31WaitForNotificationWithDeadlineENS0_4TimeE");
  const bool notified = own(this, deadline);
  if (notified) __tsan_acquire(NotifiedYet(this));
  return notified;
}

ABSL_NAMESPACE_END
}  // namespace absl

extern "C" {

grpc_call_error grpc_call_start_batch(grpc_call* call, const grpc_op* ops,
                                      size_t nops, void* tag, void* reserved) {
  static auto* const own =
      Own<decltype(grpc_call_start_batch)>("grpc_call_start_batch");
  __tsan_release(&handed_over);
  return own(call, ops, nops, tag, reserved);
}

grpc_event grpc_completion_queue_next(grpc_completion_queue* queue,
                                      gpr_timespec deadline, void* reserved) {
  static auto* const own =
      Own<decltype(grpc_completion_queue_next)>("grpc_completion_queue_next");
  const grpc_event event = own(queue, deadline, reserved);
  __tsan_acquire(&handed_over);
  return event;
}

grpc_event grpc_completion_queue_pluck(grpc_completion_queue* queue, void* tag,
                                       gpr_timespec deadline, void* reserved) {
  static auto* const own =
      Own<decltype(grpc_completion_queue_pluck)>("grpc_completion_queue_pluck");
  const grpc_event event = own(queue, tag, deadline, reserved);
  __tsan_acquire(&handed_over);
  return event;
}

}  // extern "C"
