# Builds with AddressSanitizer and UndefinedBehaviorSanitizer, in a folder of their own.
option(KINSTR_SANITIZE "Build the tools and their tests with sanitizers" OFF)
option(KINSTR_FUZZ "Build the programs of test/fuzz, with sanitizers; needs clang++" OFF)
if(KINSTR_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "KINSTR_FUZZ needs -DCMAKE_CXX_COMPILER=clang++-22: libFuzzer is clang's")
  endif()
  set(KINSTR_SANITIZE ON)
  add_compile_options(-fsanitize=fuzzer-no-link
                      -fsanitize-coverage-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizers-ignore.txt)
endif()
if(KINSTR_SANITIZE)
  # No vptr: LLVM may be built without RTTI. Assertions are on, also those of the C++ library.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr)
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -UNDEBUG -D_GLIBCXX_ASSERTIONS
                      ${sanitizers} -fno-sanitize-recover=undefined)
  add_link_options(${sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # std::stable_sort of libstdc++ 12 uses what is deprecated.
    add_compile_options(-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizers-ignore.txt
                        -Wno-deprecated-declarations)
  endif()
endif()
