#ifndef REKINDLE_TESTS_OPERATOR_KUBE_API_SERVER_H_
#define REKINDLE_TESTS_OPERATOR_KUBE_API_SERVER_H_

#include <functional>
#include <httplib.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "operator/kube/kube_config.h"
#include "tests/operator/kube/test_certificates.h"

namespace rekindle::argo {

// An HTTPS server on a free port of this machine that answers what a test wants
// it to, on the wire: what a cluster does when it is well is tested on a real
// one, and here what it does when it is not.
class ApiServer {
 public:
  explicit ApiServer(bool wants_client_certificate = false)
      : certificates_(SharedCertificates()),
        server_(certificates_.Path("server.crt").c_str(),
                certificates_.Path("server.key").c_str(),
                wants_client_certificate ? certificates_.Path("ca.crt").c_str()
                                         : nullptr) {
    port_ = server_.bind_to_any_port("127.0.0.1");
  }
  ~ApiServer() { Stop(); }
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Handlers are set before Start().
  httplib::SSLServer& http() { return server_; }
  void Start() {
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  void Stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  const TestCertificates& certificates() const { return certificates_; }
  std::string address() const {
    return absl::StrCat("https://127.0.0.1:", port_);
  }
  KubeConfig Config() const {
    KubeConfig config;
    config.server = address();
    config.ca_pem = certificates_.Pem("ca.crt");
    config.source = "context 'test'";
    config.user.token = "secret";
    return config;
  }

 private:
  static const TestCertificates& SharedCertificates() {
    static const TestCertificates certificates;
    return certificates;
  }

  const TestCertificates& certificates_;
  httplib::SSLServer server_;
  int port_ = 0;
  std::thread thread_;
};

// A Kubernetes Status object, as an API server writes it.
inline std::string StatusBody(int code, const std::string& reason,
                              const std::string& message,
                              const std::string& details = "{}") {
  return absl::StrCat(R"({"kind":"Status","apiVersion":"v1","metadata":{},)",
                      R"("status":"Failure","message":")", message,
                      R"(","reason":")", reason, R"(","details":)", details,
                      R"(,"code":)", code, "}");
}

}  // namespace rekindle::argo

#endif  // REKINDLE_TESTS_OPERATOR_KUBE_API_SERVER_H_
