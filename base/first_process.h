#ifndef REKINDLE_BASE_FIRST_PROCESS_H_
#define REKINDLE_BASE_FIRST_PROCESS_H_

#include <functional>

namespace rekindle {

// Runs `work`, as a process that a container may start with. Number 1 of a
// process namespace inherits everybody's orphans and gets no signal that it
// does not ask for; there `work` runs in a child, and RunAndReap does what is
// expected of number 1. Anywhere else it is just called. Returns the exit code.
//
// To be called before the process starts threads.
int RunAsFirstProcess(const std::function<int()>& work);

// Runs `work` in a child, in a process group of its own that owns the terminal
// if there is one. Meanwhile passes signals on to it and waits for every other
// process that becomes ours; has no environment any more. Returns when the
// child has ended: its exit code, or 128 + n after signal n. Returns in the
// child as well, with what `work` returned.
int RunAndReap(const std::function<int()>& work);

}  // namespace rekindle

#endif  // REKINDLE_BASE_FIRST_PROCESS_H_
