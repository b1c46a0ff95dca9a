#ifndef REKINDLE_TESTS_OPERATOR_SUBMIT_FAKE_KUBE_CLIENT_H_
#define REKINDLE_TESTS_OPERATOR_SUBMIT_FAKE_KUBE_CLIENT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {

// Does not expect any call; tests override what they do.
class FakeKubeClient : public KubeClient {
 public:
  absl::StatusOr<nlohmann::json> Get(const Resource&, const std::string&,
                                     const std::string&) override {
    return NotExpected();
  }
  absl::StatusOr<nlohmann::json> Create(const Resource&, const std::string&,
                                        const nlohmann::json&,
                                        const CreateOptions&) override {
    return NotExpected();
  }
  absl::StatusOr<nlohmann::json> Patch(const Resource&, const std::string&,
                                       const std::string&,
                                       const nlohmann::json&) override {
    return NotExpected();
  }
  absl::StatusOr<nlohmann::json> List(const Resource&, const std::string&,
                                      const ListOptions&) override {
    return NotExpected();
  }
  absl::Status Watch(const Resource&, const std::string&, const WatchOptions&,
                     const EventSink&) override {
    return NotExpected();
  }
  absl::Status ReadLog(const std::string&, const std::string&,
                       const LogOptions&, const ByteSink&) override {
    return NotExpected();
  }

 private:
  static absl::Status NotExpected() {
    return absl::InternalError("the test does not expect this call");
  }
};

}  // namespace rekindle::argo

#endif  // REKINDLE_TESTS_OPERATOR_SUBMIT_FAKE_KUBE_CLIENT_H_
