#include "base/event_fd.h"

#include <poll.h>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace rekindle {
namespace {

bool IsReadable(int fd) {
  pollfd event = {fd, POLLIN, 0};
  return poll(&event, 1, 0) == 1;
}

TEST(EventFdTest, IsReadableOnceItHappened) {
  EventFd event;
  ASSERT_TRUE(event.ok());
  EXPECT_FALSE(IsReadable(event.fd()));
  event.Happen();
  event.Happen();
  EXPECT_TRUE(IsReadable(event.fd()));
}

TEST(EventFdTest, WithoutDescriptorsThereIsNone) {
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none = {0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  EventFd event;
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(event.ok());
  event.Happen();
}

}  // namespace
}  // namespace rekindle
