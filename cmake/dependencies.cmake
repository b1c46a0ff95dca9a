# What Debian brings, and TensorFlow's wheel. Two worlds that never meet in one
# process: Debian's absl and protobuf on one side, TensorFlow's own copies on the
# other (docs/adr/2026-11-16-two-binaries.md). one_absl_check.cmake enforces it.
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
if(REKINDLE_WITH_TESTS)
  find_package(GTest REQUIRED)
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(GRPCPP REQUIRED IMPORTED_TARGET grpc++)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
find_program(REKINDLE_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

if(REKINDLE_WITH_TENSORFLOW)
  find_package(mimalloc REQUIRED)
  file(GLOB REKINDLE_TENSORFLOW_DIR "${REKINDLE_PYTHON_ENV}/lib/python3*/site-packages/tensorflow")
  if(NOT REKINDLE_TENSORFLOW_DIR)
    message(FATAL_ERROR "TensorFlow's wheel is not in ${REKINDLE_PYTHON_ENV}: run tools/setup first, "
                        "or configure with -DREKINDLE_WITH_TENSORFLOW=OFF to build without rekindle-trainer.")
  endif()
  # As tf.__version__ says.
  file(GLOB dist_info "${REKINDLE_TENSORFLOW_DIR}/../tensorflow-*.dist-info"
       "${REKINDLE_TENSORFLOW_DIR}/../tensorflow_cpu-*.dist-info")
  string(REGEX REPLACE ".*/tensorflow[^-]*-([^/]*)\\.dist-info$" "\\1" REKINDLE_TENSORFLOW_VERSION "${dist_info}")
  find_program(REKINDLE_PROTOC_TENSORFLOW protoc HINTS "${REKINDLE_PYTHON_ENV}/bin" NO_DEFAULT_PATH REQUIRED)

  add_library(tensorflow_framework SHARED IMPORTED)
  set_target_properties(tensorflow_framework PROPERTIES
    IMPORTED_LOCATION "${REKINDLE_TENSORFLOW_DIR}/libtensorflow_framework.so.2")
  add_library(tensorflow_cc SHARED IMPORTED)
  set_target_properties(tensorflow_cc PROPERTIES
    IMPORTED_LOCATION "${REKINDLE_TENSORFLOW_DIR}/libtensorflow_cc.so.2"
    INTERFACE_INCLUDE_DIRECTORIES "${REKINDLE_TENSORFLOW_DIR}/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${REKINDLE_TENSORFLOW_DIR}/include"
    # As tf.sysconfig.get_compile_flags() says: inline code of the headers must
    # align tensors as the library does.
    INTERFACE_COMPILE_DEFINITIONS EIGEN_MAX_ALIGN_BYTES=64
    INTERFACE_LINK_LIBRARIES tensorflow_framework)
  add_library(TensorFlow::tensorflow_cc ALIAS tensorflow_cc)
endif()
