// Serves a store until its input ends, for tests in other languages.
//
//   serve_tool DATABASE   prints the port of gRPC, then serves
#include <iostream>
#include <string>

#include "metadata/api/open_store.h"
#include "metadata/server/metadata_server.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: serve_tool DATABASE\n";
    return 2;
  }
  auto store = rekindle::OpenSqliteStore(argv[1], rekindle::SystemClock());
  if (!store.ok()) {
    std::cerr << store.status() << "\n";
    return 1;
  }
  auto server = rekindle::StartMetadataServer(
      **store, {.host = "127.0.0.1", .grpc_port = 0});
  if (!server.ok()) {
    std::cerr << server.status() << "\n";
    return 1;
  }
  std::cout << (*server)->grpc_port() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  (*server)->Shutdown(absl::Seconds(5));
  return 0;
}
