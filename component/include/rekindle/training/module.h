#ifndef REKINDLE_TRAINING_MODULE_H_
#define REKINDLE_TRAINING_MODULE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/base/config.h"

namespace rekindle {

// What a module was built with. It is read from the module's file before any
// of its code runs, so it holds no pointers and its layout never changes.
struct ModuleDescriptor {
  char magic[16];
  uint32_t api;               // which of our headers: a number made from them
  uint32_t tensor_alignment;  // of the memory of tensors, in bytes
  char tensorflow[32];
  char absl[32];
  char compiler[32];
};
static_assert(sizeof(ModuleDescriptor) == 120);

inline constexpr std::string_view kModuleMagic = "rekindle module";

#define RK_MODULE_TEXT_OF(x) #x
#define RK_MODULE_TEXT(x) RK_MODULE_TEXT_OF(x)
#ifdef __clang__
#define RK_MODULE_COMPILER "clang " RK_MODULE_TEXT(__clang_major__)
#else
#define RK_MODULE_COMPILER "g++ " RK_MODULE_TEXT(__GNUC__)
#endif
#ifdef EIGEN_MAX_ALIGN_BYTES
#define RK_MODULE_ALIGNMENT EIGEN_MAX_ALIGN_BYTES
#else
#define RK_MODULE_ALIGNMENT 0
#endif

// Describes code that is compiled here.
constexpr ModuleDescriptor DescribeModule(uint32_t api,
                                          std::string_view tensorflow) {
  const auto copy = [](std::string_view text, auto& field) {
    std::copy_n(text.begin(), std::min(text.size(), sizeof(field) - 1), field);
  };
  ModuleDescriptor descriptor = {};
  copy(kModuleMagic, descriptor.magic);
  descriptor.api = api;
  descriptor.tensor_alignment = RK_MODULE_ALIGNMENT;
  copy(tensorflow, descriptor.tensorflow);
  copy(RK_MODULE_TEXT(ABSL_LTS_RELEASE_VERSION), descriptor.absl);
  copy(RK_MODULE_COMPILER, descriptor.compiler);
  return descriptor;
}

}  // namespace rekindle

// Makes a shared library a module: stands once in one of its files, in no
// namespace. The CMake package rekindle_training sets the versions.
#if defined(REKINDLE_MODULE_API) && defined(REKINDLE_TENSORFLOW_VERSION)
#define REKINDLE_MODULE()                                          \
  extern "C" {                                                     \
  extern __attribute__((visibility("default")))                    \
  const rekindle::ModuleDescriptor rekindle_module_descriptor;     \
  __attribute__((used)) constinit const rekindle::ModuleDescriptor \
      rekindle_module_descriptor = rekindle::DescribeModule(       \
          REKINDLE_MODULE_API, REKINDLE_TENSORFLOW_VERSION);       \
  }                                                                \
  static_assert(true, "REKINDLE_MODULE() is followed by a semicolon")
#else
#define REKINDLE_MODULE() \
  static_assert(false, "link rekindle::training of the CMake package")
#endif

#endif  // REKINDLE_TRAINING_MODULE_H_
