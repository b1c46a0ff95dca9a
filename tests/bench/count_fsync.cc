// Counts the calls that make files durable, in whatever program preloads this:
// LD_PRELOAD=libcount_fsync.so. The program asks for the count by its name.
#include <atomic>
#include <dlfcn.h>

namespace {

std::atomic<long> count = 0;

int Forward(const char* name, int fd) {
  count.fetch_add(1, std::memory_order_relaxed);
  using Function = int (*)(int);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name))(fd);
}

}  // namespace

extern "C" {
// The parameters have the names that the C library gives them.
int fsync(int fd) { return Forward("fsync", fd); }
int fdatasync(int fildes) { return Forward("fdatasync", fildes); }
long rk_fsync_count() { return count.load(std::memory_order_relaxed); }
}
