#include "component/modules/module_loader.h"

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "component/modules/elf_symbol.h"
#include "rekindle/training/module.h"
#include "tensorflow/c/c_api.h"

namespace rekindle {
namespace {

constexpr char kDescriptor[] = "rekindle_module_descriptor";

absl::Status NoModule(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", path, "' cannot be used as a module: ", why));
}

absl::StatusOr<ModuleDescriptor> ReadDescriptor(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const std::string file, ReadWholeFile(path));
  const auto found = ReadElfSymbol(file, kDescriptor);
  if (!found.ok()) return NoModule(path, found.status().message());
  if (!found->has_value()) {
    return NoModule(path,
                    "it says nowhere what it was built with; one of its files "
                    "must have REKINDLE_MODULE()");
  }
  ModuleDescriptor descriptor;
  if ((*found)->size() != sizeof(descriptor)) {
    return NoModule(path, "its descriptor has another size");
  }
  std::memcpy(&descriptor, (*found)->data(), sizeof(descriptor));
  return descriptor;
}

// A field's text, which ends with it at the latest.
template <size_t kSize>
std::string Text(const char (&field)[kSize]) {
  return std::string(field, strnlen(field, kSize));
}

absl::Status Require(const std::string& path, absl::string_view what,
                     const std::string& theirs, const std::string& ours) {
  if (theirs == ours) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "'", path, "' was built with ", what, " ", theirs,
      ", but this program with ", what, " ", ours, ": build the module again"));
}

absl::Status CheckDescriptor(const std::string& path,
                             const ModuleDescriptor& theirs) {
  const ModuleDescriptor ours =
      DescribeModule(REKINDLE_MODULE_API, TF_Version());
  if (Text(theirs.magic) != kModuleMagic) {
    return NoModule(path, "its descriptor is damaged");
  }
  RK_RETURN_IF_ERROR(Require(path, "headers number", absl::StrCat(theirs.api),
                             absl::StrCat(ours.api)));
  RK_RETURN_IF_ERROR(Require(path, "TensorFlow", Text(theirs.tensorflow),
                             Text(ours.tensorflow)));
  RK_RETURN_IF_ERROR(Require(path, "absl", Text(theirs.absl), Text(ours.absl)));
  RK_RETURN_IF_ERROR(Require(path, "the compiler", Text(theirs.compiler),
                             Text(ours.compiler)));
  return Require(path, "EIGEN_MAX_ALIGN_BYTES",
                 absl::StrCat(theirs.tensor_alignment),
                 absl::StrCat(ours.tensor_alignment));
}

}  // namespace

Module::Module(std::string path, RunFunction run_fn)
    : path_(std::move(path)), run_fn_(run_fn) {}

absl::Status Module::RunFn(const FnArgs& fn_args) const {
  if (run_fn_ == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", path_, "' has no run_fn"));
  }
  try {
    return run_fn_(fn_args);
  } catch (const std::exception& e) {
    return absl::UnknownError(
        absl::StrCat("run_fn of '", path_, "' threw: ", e.what()));
  }
}

absl::StatusOr<Module> LoadModule(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const ModuleDescriptor descriptor, ReadDescriptor(path));
  RK_RETURN_IF_ERROR(CheckDescriptor(path, descriptor));
  // A name without a slash would be looked for elsewhere.
  void* library =
      dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return NoModule(path, dlerror());
  return Module(
      path, reinterpret_cast<Module::RunFunction>(dlsym(library, "run_fn")));
}

}  // namespace rekindle
