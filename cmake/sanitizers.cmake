# Instruments everything that is built here, generated code included, so that
# no report is lost at a boundary.
if(REKINDLE_SANITIZE)
  add_compile_options(-fsanitize=${REKINDLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${REKINDLE_SANITIZE})
endif()
