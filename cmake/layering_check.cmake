# Fails the configure step when a folder includes a header it may not see.
# Dependencies point one way: proto <- base <- metadata <- component, operator
# beside component, cli above all. The table is the whole rule.
#
#   rk_layer(FOLDER MAY_INCLUDE...)   prefixes of our own headers
set(RK_LAYERS)
macro(rk_layer folder)
  list(APPEND RK_LAYERS "${folder}")
  set(RK_LAYER_${folder} "${ARGN}")
endmacro()

# The generated protos of Debian's side and of TensorFlow's side.
set(RK_PROTO ml_metadata/ tfx/ tensorflow_metadata/ tensorflow_model_analysis/ rekindle/)

# The training library's own headers, which modules of users include.
set(RK_TRAINING rekindle/training/)

rk_layer(base base/)
rk_layer(metadata/api base/ metadata/api/ ${RK_PROTO})
rk_layer(metadata/sqlite base/ metadata/sqlite/)
rk_layer(metadata/query base/ metadata/query/ metadata/sqlite/ ${RK_PROTO})
rk_layer(metadata/store base/ metadata/api/ metadata/sqlite/ metadata/query/ metadata/store/ ${RK_PROTO})
rk_layer(metadata/server base/ metadata/api/ metadata/server/ ${RK_PROTO})
# TensorFlow's side and what both sides share: of base only what needs no absl.
rk_layer(component/contract base/status_macros.h component/contract/)
rk_layer(component/records base/status_macros.h component/records/)
rk_layer(component/include ${RK_TRAINING} tensorflow/)
set(training_folders
  config
  evaluation
  features
  graph
  input
  io
  metrics
  modules
  optimizers
  strategies
  tasks
  training
  transform)
foreach(folder IN LISTS training_folders)
  list(APPEND RK_TRAINING component/${folder}/)
endforeach()
foreach(folder IN LISTS training_folders)
  rk_layer(component/${folder} base/status_macros.h base/nearest_name.h base/number_text.h base/yaml_limits.h component/contract/ component/records/
           tensorflow/ tensorflow_metadata/ rekindle/serving/ ${RK_TRAINING})
endforeach()
rk_layer(component/resolve base/ metadata/api/ component/resolve/ component/contract/ ${RK_PROTO})
rk_layer(component/cache base/ metadata/api/ component/resolve/ component/cache/ ${RK_PROTO})
rk_layer(component/launch base/ metadata/api/ component/resolve/ component/cache/ component/contract/ component/launch/
         ${RK_PROTO})
rk_layer(component/blessing base/ component/blessing/ component/contract/ component/records/ ${RK_PROTO})
rk_layer(component/data base/ component/records/ component/data/ tensorflow/core/example/ ${RK_PROTO})
rk_layer(component/steps base/ metadata/api/ component/blessing/ component/resolve/ component/cache/ component/contract/
         component/data/ component/records/ component/launch/ component/steps/ tensorflow/core/example/ ${RK_PROTO})
rk_layer(operator base/ metadata/api/ operator/ ${RK_PROTO})
rk_layer(operator/expression base/ operator/expression/)
rk_layer(operator/expression/functions base/ operator/expression/functions/ operator/expression/ordering.h
         operator/expression/regular_expression.h operator/expression/value.h)
rk_layer(operator/workflow base/ operator/expression/ operator/workflow/)
rk_layer(operator/lint base/ operator/expression/ operator/workflow/ operator/lint/)
rk_layer(operator/process base/ operator/process/)
rk_layer(operator/pods base/ operator/process/ operator/workflow/ operator/pods/)
rk_layer(operator/engine base/ operator/expression/ operator/workflow/ operator/pods/ operator/engine/)
rk_layer(operator/plugin base/ metadata/api/ operator/ component/resolve/ component/cache/ component/launch/ ${RK_PROTO})
rk_layer(component/workers base/ metadata/api/ component/launch/ component/workers/ ${RK_PROTO})
rk_layer(cli base/ metadata/ component/blessing/ component/resolve/ component/cache/ component/data/ component/launch/
         component/steps/ component/workers/ component/contract/ operator/ cli/ ${RK_PROTO})

function(rk_check_file file folder)
  file(STRINGS "${CMAKE_SOURCE_DIR}/${file}" includes REGEX "^#include \"")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" header "${line}")
    set(allowed FALSE)
    foreach(prefix IN LISTS RK_LAYER_${folder})
      string(FIND "${header}" "${prefix}" at)
      if(at EQUAL 0)
        set(allowed TRUE)
        break()
      endif()
    endforeach()
    # Libraries of others are quoted too: a header that is not in our tree and
    # not generated from our protos is none of this check's business.
    if(NOT allowed AND (EXISTS "${CMAKE_SOURCE_DIR}/${header}" OR header MATCHES "\\.pb\\.h$"))
      list(JOIN RK_LAYER_${folder} ", " may)
      message(FATAL_ERROR "${file} includes ${header}, but ${folder}/ may include only: ${may} "
                          "(cmake/layering_check.cmake, docs/architecture.md).")
    endif()
  endforeach()
endfunction()

function(rk_check_layering)
  file(GLOB_RECURSE sources RELATIVE "${CMAKE_SOURCE_DIR}" CONFIGURE_DEPENDS
       "${CMAKE_SOURCE_DIR}/base/*.h" "${CMAKE_SOURCE_DIR}/base/*.cc"
       "${CMAKE_SOURCE_DIR}/metadata/*.h" "${CMAKE_SOURCE_DIR}/metadata/*.cc"
       "${CMAKE_SOURCE_DIR}/component/*.h" "${CMAKE_SOURCE_DIR}/component/*.cc"
       "${CMAKE_SOURCE_DIR}/operator/*.h" "${CMAKE_SOURCE_DIR}/operator/*.cc"
       "${CMAKE_SOURCE_DIR}/cli/*.h" "${CMAKE_SOURCE_DIR}/cli/*.cc")
  foreach(file IN LISTS sources)
    # The most specific folder of the table that holds the file.
    set(owner)
    foreach(folder IN LISTS RK_LAYERS)
      string(FIND "${file}" "${folder}/" at)
      string(LENGTH "${folder}" length)
      string(LENGTH "${owner}" best)
      if(at EQUAL 0 AND length GREATER best)
        set(owner "${folder}")
      endif()
    endforeach()
    if(NOT owner)
      message(FATAL_ERROR "${file} is in no folder of cmake/layering_check.cmake: say there what it may include.")
    endif()
    rk_check_file("${file}" "${owner}")
  endforeach()
endfunction()
