# kinstrClang: clang and LLVM for the programs that read CUDA. Linked statically, where their archives
# are installed, kinstr starts faster (it is one file without relocations by name) and runs on machines
# that have no LLVM. A process must never hold both kinds (each registers the same options): whatever
# uses clang links kinstrClang, and no LLVM beside it.

# In no order: they are searched as a group.
set(clang_libraries
  APINotes AST ASTMatchers Analysis AnalysisLifetimeSafety Basic DependencyScanning Driver Edit Format
  Frontend Lex Options Parse Rewrite Sema Serialization Support Tooling ToolingCore
  ToolingInclusions)
set(llvm_components option support targetparser bitreader coverage profiledata windowsdriver
  frontenddriver frontendhlsl frontendoffloading frontendopenmp)

find_program(LLVM_CONFIG_EXE llvm-config HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
find_library(KINSTR_ZLIB NAMES libz.a z DOC "zlib, which LLVM's Support library uses")
find_library(KINSTR_ZSTD NAMES libzstd.a zstd DOC "zstd, which LLVM's Support library uses")
find_package(Threads REQUIRED)

# Not all of them exist in every version of LLVM.
set(clang_archives)
foreach(library ${clang_libraries})
  if(EXISTS ${LLVM_LIBRARY_DIR}/libclang${library}.a)
    list(APPEND clang_archives ${LLVM_LIBRARY_DIR}/libclang${library}.a)
  endif()
endforeach()

set(llvm_archives)
if(LLVM_CONFIG_EXE)
  execute_process(COMMAND ${LLVM_CONFIG_EXE} --components
                  OUTPUT_VARIABLE known OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(known)
  foreach(component ${llvm_components})
    if(component IN_LIST known)
      list(APPEND components ${component})
    endif()
  endforeach()
  execute_process(COMMAND ${LLVM_CONFIG_EXE} --link-static --libfiles ${components}
                  OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  separate_arguments(llvm_archives)
endif()

if(clang_archives AND llvm_archives AND KINSTR_ZLIB AND KINSTR_ZSTD)
  set(static_possible ON)
else()
  set(static_possible OFF)
endif()
option(KINSTR_STATIC "Link clang and LLVM statically" ${static_possible})

add_library(kinstrClang INTERFACE)
if(NOT KINSTR_STATIC)
  target_link_libraries(kinstrClang INTERFACE clang-cpp LLVM)
elseif(NOT static_possible)
  message(FATAL_ERROR "KINSTR_STATIC needs the archives of clang, LLVM, zlib and zstd")
else()
  target_link_libraries(kinstrClang INTERFACE
    "$<LINK_GROUP:RESCAN,${clang_archives}>" ${llvm_archives} ${KINSTR_ZLIB} ${KINSTR_ZSTD}
    Threads::Threads ${CMAKE_DL_LIBS} m rt)
  target_link_options(kinstrClang INTERFACE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
endif()
