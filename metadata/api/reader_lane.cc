#include "metadata/api/reader_lane.h"

#include <utility>

namespace rekindle {
namespace {

thread_local ReaderLane current = ReaderLane::kGeneral;

}  // namespace

ScopedReaderLane::ScopedReaderLane(ReaderLane lane)
    : enclosing_(std::exchange(current, lane)) {}

ScopedReaderLane::~ScopedReaderLane() { current = enclosing_; }

ReaderLane CurrentReaderLane() { return current; }

}  // namespace rekindle
