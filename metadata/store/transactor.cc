#include "metadata/store/transactor.h"

#include <utility>

namespace rekindle {

Transactor::Transactor(std::unique_ptr<Database> db,
                       ReaderPool::Open open_reader, const std::string& path)
    : files_(open_reader == nullptr ? OpenFiles() : OpenFiles(path)) {
  if (db->read_only()) {
    readers_.emplace(std::move(db), std::move(open_reader));
    return;
  }
  writer_ = std::move(db);
  writes_.emplace(*writer_);
  if (open_reader != nullptr) readers_.emplace(nullptr, std::move(open_reader));
}

absl::Status Transactor::RunWrite(Work work) {
  RK_RETURN_IF_ERROR(CheckWritable());
  return writes_->Run(work);
}

absl::Status Transactor::RunAlone(Work work) {
  RK_RETURN_IF_ERROR(CheckWritable());
  return writes_->RunAlone(work);
}

absl::Status Transactor::CheckWritable() const {
  if (writes_.has_value()) return files_.Check();
  return absl::PermissionDeniedError("the metadata store is open read-only");
}

absl::Status Transactor::RunRead(Work work) {
  RK_RETURN_IF_ERROR(files_.CheckNowAndThen());
  return readers_.has_value() ? readers_->Run(work) : writes_->Run(work);
}

}  // namespace rekindle
