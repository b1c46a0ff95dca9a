# rk_library(NAME SOURCES... [DEPS...] [TENSORFLOW | STORE | JSON])
#
# A static library `rk_NAME`, alias `rekindle::NAME`, with our warnings on and
# the repository root as its include root. TENSORFLOW puts it on TensorFlow's
# side of the wall; STORE says that most of it reads the store's messages, JSON
# that most of it reads JSON.
function(rk_library name)
  cmake_parse_arguments(ARG "TENSORFLOW;STORE;JSON" "" "SOURCES;DEPS" ${ARGN})
  add_library(rk_${name} STATIC ${ARG_SOURCES})
  add_library(rekindle::${name} ALIAS rk_${name})
  target_include_directories(rk_${name} PUBLIC "${CMAKE_SOURCE_DIR}")
  if(ARG_TENSORFLOW)
    target_include_directories(rk_${name} PUBLIC "${CMAKE_SOURCE_DIR}/component/include")
    target_link_libraries(rk_${name} PUBLIC TensorFlow::tensorflow_cc)
    rk_precompile_tensorflow(rk_${name})
  elseif(ARG_STORE)
    rk_precompile_store(rk_${name})
  elseif(ARG_JSON)
    rk_precompile_json(rk_${name})
  endif()
  target_link_libraries(rk_${name} PUBLIC ${ARG_DEPS} PRIVATE rk_warnings)
endfunction()

# rk_precompiled(NAME LIBRARIES... HEADERS... [OPTIONS...])
#
# A target whose precompiled headers others take; made when the first wants them.
function(rk_precompiled name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;HEADERS;OPTIONS" ${ARGN})
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} STATIC "${CMAKE_SOURCE_DIR}/cmake/precompiled.cc")
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} rk_warnings)
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# TensorFlow's headers take ten seconds to read: they are read once for all the
# targets that link it.
function(rk_precompile_tensorflow target)
  if(NOT REKINDLE_PRECOMPILE)
    return()
  endif()
  rk_precompiled(rk_tensorflow_headers
    LIBRARIES TensorFlow::tensorflow_cc nlohmann_json::nlohmann_json
    HEADERS
      <algorithm> <functional> <map> <memory> <optional> <string> <vector>
      <absl/status/statusor.h> <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/strings/str_join.h>
      <nlohmann/json.hpp>
      <tensorflow/cc/framework/gradients.h> <tensorflow/cc/framework/scope.h> <tensorflow/cc/ops/standard_ops.h>
      <tensorflow/core/framework/tensor.h> <tensorflow/core/public/session.h>)
  rk_take_precompiled(${target} rk_tensorflow_headers)
endfunction()

function(rk_take_precompiled target from)
  target_precompile_headers(${target} REUSE_FROM ${from})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")  # compiled as they were
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# g++ forgets that what is precompiled are headers of others, and warns of what
# it thinks is in them.
function(rk_forget_false_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
endfunction()

# The same for JSON.
set(RK_JSON_LIBRARIES absl::statusor absl::strings absl::str_format absl::time nlohmann_json::nlohmann_json)
set(RK_JSON_HEADERS
  <algorithm> <functional> <map> <memory> <optional> <string> <vector>
  <absl/status/statusor.h> <absl/strings/str_cat.h> <absl/strings/str_split.h> <absl/time/clock.h>
  <nlohmann/json.hpp>)

function(rk_precompile_json target)
  if(NOT REKINDLE_PRECOMPILE)
    return()
  endif()
  rk_precompiled(rk_json_headers
    LIBRARIES ${RK_JSON_LIBRARIES}
    HEADERS ${RK_JSON_HEADERS} <absl/strings/str_format.h> <absl/strings/str_join.h>)
  target_link_libraries(${target} PRIVATE ${RK_JSON_LIBRARIES})
  rk_forget_false_warnings(${target})
  rk_take_precompiled(${target} rk_json_headers)
endfunction()

# The same for JSON and the messages of the store.
set(RK_PRECOMPILED_LIBRARIES rekindle::ml_metadata_proto ${RK_JSON_LIBRARIES})
set(RK_PRECOMPILED_HEADERS
  ${RK_JSON_HEADERS} <ml_metadata/proto/metadata_store.pb.h> <ml_metadata/proto/metadata_store_service.pb.h>)

function(rk_precompile_store target)
  if(NOT REKINDLE_PRECOMPILE)
    return()
  endif()
  rk_precompiled(rk_store_headers
    LIBRARIES rekindle::step_service_proto ${RK_PRECOMPILED_LIBRARIES}
    HEADERS ${RK_PRECOMPILED_HEADERS} <absl/strings/str_format.h> <absl/strings/str_join.h>
            <rekindle/v1/step_service.pb.h>)
  rk_take_store_headers(${target} rk_store_headers)
endfunction()

function(rk_take_store_headers target from)
  target_link_libraries(${target} PRIVATE rekindle::ml_metadata_proto)
  rk_forget_false_warnings(${target})
  rk_take_precompiled(${target} ${from})
endfunction()

# Half of the time to compile a test goes into reading GoogleTest's headers and
# the store's messages, and a quarter into optimising what runs once.
function(rk_precompile_test target)
  set(options $<$<CONFIG:Release>:-O1>)
  target_compile_options(${target} PRIVATE ${options})
  if(NOT REKINDLE_PRECOMPILE)
    return()
  endif()
  rk_precompiled(rk_test_headers
    LIBRARIES ${RK_PRECOMPILED_LIBRARIES} GTest::gmock
    HEADERS ${RK_PRECOMPILED_HEADERS} <gmock/gmock.h> <gtest/gtest.h>
    OPTIONS ${options})
  rk_take_store_headers(${target} rk_test_headers)
endfunction()

# rk_test(NAME SOURCES... DEPS... [LABELS...] [TENSORFLOW])
#
# A GoogleTest binary registered with ctest, one ctest entry per binary: cases
# inside it share their set-up. The label (default `unit`) says which suite of
# ./test runs it.
function(rk_test name)
  cmake_parse_arguments(ARG "TENSORFLOW" "" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} rk_warnings GTest::gmock GTest::gtest_main)
  if(ARG_TENSORFLOW)
    rk_precompile_tensorflow(${name})
  else()
    rk_precompile_test(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()
