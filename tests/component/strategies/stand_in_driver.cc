// A driver's library that answers as the environment says: what CUDA's says on
// machines that a test cannot have. STAND_IN_CUDA="VERSION INIT DEVICES".
#include <cstdio>
#include <cstdlib>

namespace {

struct Answers {
  int version = 0;
  int init = 0;
  int devices = 0;
};

Answers Read() {
  Answers answers;
  const char* text = std::getenv("STAND_IN_CUDA");
  if (text == nullptr || std::sscanf(text, "%d %d %d", &answers.version,
                                     &answers.init, &answers.devices) != 3) {
    std::abort();
  }
  return answers;
}

}  // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
  *version = Read().version;
  return 0;
}

int cuInit(unsigned int /*flags*/) { return Read().init; }

int cuDeviceGetCount(int* count) {
  *count = Read().devices;
  return 0;
}

}  // extern "C"
