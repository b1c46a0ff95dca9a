#include "tests/simulation/fiber.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <ucontext.h>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace rekindle::simulation {
namespace {

// Digests are computed in a buffer of 64 KiB on the stack. Pages that nobody
// touches cost nothing.
constexpr size_t kStackBytes = size_t{1} << 20;
constexpr unsigned int kHalf = 32;

// Stacks that are not in use.
std::vector<void*>& Pool() {
  static auto& pool = *new std::vector<void*>;
  return pool;
}

void* TakeStack() {
  if (!Pool().empty()) {
    void* const stack = Pool().back();
    Pool().pop_back();
    return stack;
  }
  void* const stack =
      mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) std::abort();
  return stack;
}

}  // namespace

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(TakeStack()) {
  getcontext(&here_);
  here_.uc_stack.ss_sp = stack_;
  here_.uc_stack.ss_size = kStackBytes;
  here_.uc_link = &resumer_;
  const auto self = reinterpret_cast<uintptr_t>(this);
  // What makecontext passes on are ints.
  makecontext(&here_, reinterpret_cast<void (*)()>(&Fiber::Enter), 2,
              static_cast<unsigned int>(self >> kHalf),
              static_cast<unsigned int>(self));
}

Fiber::~Fiber() { Pool().push_back(stack_); }

void Fiber::Enter(unsigned int high, unsigned int low) {
  auto* const fiber =
      reinterpret_cast<Fiber*>((uintptr_t{high} << kHalf) | low);
  fiber->body_();
  fiber->ended_ = true;
}

void Fiber::Resume() { swapcontext(&resumer_, &here_); }

void Fiber::Pause() { swapcontext(&here_, &resumer_); }

}  // namespace rekindle::simulation
