// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What AddressSanitizer has to know about programs that are linked with an LLVM
// built without it. Part of executables under KINSTR_SANITIZE only.

// NOLINTBEGIN(bugprone-reserved-identifier): the sanitizer's name.
extern "C" const char *__asan_default_options();

/// LLVM's half of an object does not keep up what our half would say about it:
/// the ends of containers, and the parts of an allocator's slabs in use. The
/// tools end without freeing what clang made. In a statically linked libstdc++
/// only some of the operators new and delete are the sanitizer's.
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0:"
         "alloc_dealloc_mismatch=0";
}
// NOLINTEND(bugprone-reserved-identifier)
