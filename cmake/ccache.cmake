# What was compiled before, in this folder or another, comes from ccache's memory
# if there is one. CMAKE_CXX_COMPILER_LAUNCHER in the environment goes before it.
find_program(REKINDLE_CCACHE ccache)
if(REKINDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      # What the precompiled headers need.
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${REKINDLE_CCACHE}")
endif()
