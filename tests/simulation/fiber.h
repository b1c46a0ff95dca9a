#ifndef REKINDLE_TESTS_SIMULATION_FIBER_H_
#define REKINDLE_TESTS_SIMULATION_FIBER_H_

#include <functional>
#include <ucontext.h>

namespace rekindle::simulation {

// A function that can stop in the middle and go on later, on a stack of its
// own. All fibers share the thread that resumes them. One that has begun must
// end before it is destroyed.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs it until it pauses or ends. Not from inside a fiber.
  void Resume();
  // Back to who resumed it. From inside this fiber.
  void Pause();
  bool ended() const { return ended_; }

 private:
  static void Enter(unsigned int high, unsigned int low);

  std::function<void()> body_;
  void* stack_;  // taken from a pool, and given back
  ucontext_t here_;
  ucontext_t resumer_;
  bool ended_ = false;
};

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_FIBER_H_
