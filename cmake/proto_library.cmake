# rk_proto_library(NAME PROTOS... [DEPS...] [GRPC] [TENSORFLOW])
#
# Generates C++ from .proto files below proto/ and builds `rekindle::NAME`.
# GRPC adds service stubs. TENSORFLOW generates with protoc 31.1 against the
# protobuf inside TensorFlow's wheel, into an include root of its own.
function(rk_proto_library name)
  cmake_parse_arguments(ARG "GRPC;TENSORFLOW" "" "PROTOS;DEPS" ${ARGN})
  set(root "${CMAKE_SOURCE_DIR}/proto")
  if(ARG_TENSORFLOW)
    set(out "${CMAKE_BINARY_DIR}/gen/tensorflow")
    set(protoc "${REKINDLE_PROTOC_TENSORFLOW}")
  else()
    set(out "${CMAKE_BINARY_DIR}/gen/debian")
    set(protoc protobuf::protoc)
  endif()
  file(MAKE_DIRECTORY "${out}")

  set(generated)
  foreach(proto IN LISTS ARG_PROTOS)
    string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
    set(outputs "${out}/${stem}.pb.cc" "${out}/${stem}.pb.h")
    set(grpc_args)
    if(ARG_GRPC)
      list(APPEND outputs "${out}/${stem}.grpc.pb.cc" "${out}/${stem}.grpc.pb.h")
      set(grpc_args "--grpc_out=${out}" "--plugin=protoc-gen-grpc=${REKINDLE_GRPC_PLUGIN}")
    endif()
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${protoc} "--proto_path=${root}" "--cpp_out=${out}" ${grpc_args} "${root}/${proto}"
      DEPENDS "${root}/${proto}"
      COMMENT "protoc ${proto}"
      VERBATIM)
    list(APPEND generated ${outputs})
  endforeach()

  add_library(rk_${name} STATIC ${generated})
  add_library(rekindle::${name} ALIAS rk_${name})
  target_include_directories(rk_${name} SYSTEM PUBLIC "${out}")
  target_link_libraries(rk_${name} PUBLIC ${ARG_DEPS})
  if(ARG_TENSORFLOW)
    target_link_libraries(rk_${name} PUBLIC TensorFlow::tensorflow_cc)
  else()
    target_link_libraries(rk_${name} PUBLIC protobuf::libprotobuf)
  endif()
  if(ARG_GRPC)
    target_link_libraries(rk_${name} PUBLIC PkgConfig::GRPCPP)
  endif()
endfunction()
