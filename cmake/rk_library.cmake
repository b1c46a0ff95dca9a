# rk_library(NAME SOURCES... [DEPS...] [TENSORFLOW])
#
# A static library `rk_NAME`, alias `rekindle::NAME`, with our warnings on and
# the repository root as its include root. TENSORFLOW puts it on TensorFlow's
# side of the wall.
function(rk_library name)
  cmake_parse_arguments(ARG "TENSORFLOW" "" "SOURCES;DEPS" ${ARGN})
  add_library(rk_${name} STATIC ${ARG_SOURCES})
  add_library(rekindle::${name} ALIAS rk_${name})
  target_include_directories(rk_${name} PUBLIC "${CMAKE_SOURCE_DIR}")
  if(ARG_TENSORFLOW)
    target_link_libraries(rk_${name} PUBLIC TensorFlow::tensorflow_cc)
  endif()
  target_link_libraries(rk_${name} PUBLIC ${ARG_DEPS} PRIVATE rk_warnings)
endfunction()

# rk_test(NAME SOURCES... DEPS... [LABELS...] [TENSORFLOW])
#
# A GoogleTest binary registered with ctest, one ctest entry per binary: cases
# inside it share their set-up. The label (default `unit`) says which suite of
# ./test runs it.
function(rk_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} rk_warnings GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()
