# Instruments everything that is built here, generated code included, so that
# no report is lost at a boundary.
if(REKINDLE_SANITIZE)
  add_compile_options(-fsanitize=${REKINDLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${REKINDLE_SANITIZE})
  # Debian's protobuf is not built with it, and its headers lay maps out in
  # another way where they see this macro.
  if(REKINDLE_SANITIZE MATCHES "thread")
    add_compile_options(-U__SANITIZE_THREAD__)
  endif()
endif()
