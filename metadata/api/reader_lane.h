#ifndef REKINDLE_METADATA_API_READER_LANE_H_
#define REKINDLE_METADATA_API_READER_LANE_H_

namespace rekindle {

// Reads of a store take turns on a few connections, and each lane has its own:
// work in one does not keep another waiting.
enum class ReaderLane {
  kGeneral,      // what is not said otherwise
  kMaintenance,  // copies and checks of the whole store
  kReserved,     // what others live by: health, and the calls of steps
};
inline constexpr int kReaderLanes = 3;

// Says, as long as it lives, in which lane this thread reads.
class ScopedReaderLane {
 public:
  explicit ScopedReaderLane(ReaderLane lane);
  ~ScopedReaderLane();
  ScopedReaderLane(const ScopedReaderLane&) = delete;
  ScopedReaderLane& operator=(const ScopedReaderLane&) = delete;

 private:
  const ReaderLane enclosing_;
};

ReaderLane CurrentReaderLane();

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_READER_LANE_H_
