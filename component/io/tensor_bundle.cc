#include "component/io/tensor_bundle.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/io/durable_file.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/util/tensor_bundle/naming.h"
#include "tensorflow/core/util/tensor_bundle/tensor_bundle.h"

namespace rekindle {
namespace {

absl::Status AddAll(const NamedTensors& tensors,
                    tensorflow::BundleWriter* writer) {
  RK_RETURN_IF_ERROR(writer->status());
  for (const auto& [name, tensor] : tensors) {
    RK_RETURN_IF_ERROR(writer->Add(name, tensor));
  }
  return writer->Finish();
}

absl::StatusOr<NamedTensors> ReadAll(tensorflow::BundleReader* reader) {
  RK_RETURN_IF_ERROR(reader->status());
  NamedTensors tensors;
  reader->Seek(tensorflow::kHeaderEntryKey);
  for (reader->Next(); reader->Valid(); reader->Next()) {
    tensorflow::Tensor tensor;
    RK_RETURN_IF_ERROR(reader->ReadCurrent(&tensor));
    tensors.emplace(reader->key(), std::move(tensor));
  }
  return tensors;
}

}  // namespace

absl::Status WriteTensors(const NamedTensors& tensors,
                          const std::string& prefix) {
  tensorflow::BundleWriter writer(tensorflow::Env::Default(), prefix);
  const absl::Status written = AddAll(tensors, &writer);
  if (!written.ok()) {
    return absl::UnavailableError(
        absl::StrCat("cannot write '", prefix, "': ", written.message()));
  }
  RK_RETURN_IF_ERROR(SyncFile(tensorflow::DataFilename(prefix, 0, 1)));
  return SyncFile(tensorflow::MetaFilename(prefix));
}

absl::StatusOr<NamedTensors> ReadTensors(const std::string& prefix) {
  if (!std::filesystem::exists(tensorflow::MetaFilename(prefix))) {
    return absl::NotFoundError(
        absl::StrCat("there is no '", tensorflow::MetaFilename(prefix), "'"));
  }
  tensorflow::BundleReader reader(tensorflow::Env::Default(), prefix);
  absl::StatusOr<NamedTensors> tensors = ReadAll(&reader);
  if (!tensors.ok()) {
    return absl::DataLossError(absl::StrCat(
        "'", prefix, "' is damaged: ", tensors.status().message()));
  }
  return tensors;
}

}  // namespace rekindle
