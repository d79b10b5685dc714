# find_package(kinstr): the target kinstr::runtime, and kinstr_instrument(). docs/integration.md
cmake_minimum_required(VERSION 3.20)
include(${CMAKE_CURRENT_LIST_DIR}/kinstrTargets.cmake)

if(NOT TARGET kinstr::runtime)
  set(kinstr_FOUND FALSE)
  set(kinstr_NOT_FOUND_MESSAGE "this kinstr was built without the CUDA Toolkit: it has no runtime")
  return()
endif()
# Static libraries take it to programs of other directories.
set_target_properties(kinstr::runtime PROPERTIES IMPORTED_GLOBAL TRUE)

# kinstr_instrument(TARGET... [STRICT] [FLAGS FLAG...])
#
# The CUDA sources of each TARGET are compiled through kinstr-nvcc, which has annotated ones rewritten,
# and the TARGET is linked with the runtime. STRICT: a file that cannot be instrumented is an error.
# FLAGS: options for kinstr, such as --buffer=global.
function(kinstr_instrument)
  cmake_parse_arguments(PARSE_ARGV 0 arg "STRICT" "" "FLAGS")
  get_target_property(launcher kinstr::kinstr-nvcc LOCATION)
  set(environment)
  if(arg_STRICT)
    list(APPEND environment KINSTR_STRICT=1)
  endif()
  if(arg_FLAGS)
    list(JOIN arg_FLAGS " " flags)
    list(APPEND environment "KINSTR_FLAGS=${flags}")
  endif()
  if(environment)
    list(PREPEND launcher ${CMAKE_COMMAND} -E env ${environment})
  endif()

  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    # Launchers such as ccache come behind: they are to see the rewritten file.
    get_target_property(others ${target} CUDA_COMPILER_LAUNCHER)
    if(NOT others)
      set(others)
    endif()
    list(FILTER others EXCLUDE REGEX "kinstr-nvcc$")
    list(PREPEND others ${launcher})
    set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${others}")
    # Not target_link_libraries: it refuses one of its two signatures where the project uses the other.
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES kinstr::runtime)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
      set_property(TARGET ${target} APPEND PROPERTY
                   INTERFACE_LINK_LIBRARIES $<LINK_ONLY:kinstr::runtime>)
    endif()
  endforeach()
endfunction()
