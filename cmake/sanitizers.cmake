# Instruments everything that is built here, generated code included, so that
# no report is lost at a boundary.
if(REKINDLE_SANITIZE)
  add_compile_options(-fsanitize=${REKINDLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${REKINDLE_SANITIZE})
  # Debian's protobuf is not built with it, and its headers lay maps out in
  # another way where they see this macro.
  if(REKINDLE_SANITIZE MATCHES "thread")
    add_compile_options(-U__SANITIZE_THREAD__)
    # First among the libraries of every program, before absl's own.
    add_library(rk_absl_locks SHARED "${CMAKE_SOURCE_DIR}/tests/tsan/absl_locks.cc")
    target_compile_options(rk_absl_locks PRIVATE -fno-sanitize=thread)
    target_link_libraries(rk_absl_locks PRIVATE ${CMAKE_DL_LIBS})
    link_libraries(rk_absl_locks)
  endif()
endif()
