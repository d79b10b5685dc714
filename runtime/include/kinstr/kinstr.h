// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host API of libkinstr_rt, for programs that want a say in what is recorded. None of it is
// needed: a rewritten program records all its launches and writes the trace when it exits.
#ifndef KINSTR_KINSTR_H
#define KINSTR_KINSTR_H

#ifdef __cplusplus
extern "C"
{
#endif

  /// Attaches to the current device and records the launches that follow, also those of kernels
  /// whose launch kinstr could not see; a `launches` window in KINSTR_OPTIONS still holds. Waits
  /// for nothing but the first attachment. Returns 0, or a cudaError_t.
  int kinstr_start(void);

  /// Launches that follow are not recorded; they still count for the `launches` window. Waits for
  /// nothing. Returns 0, or a cudaError_t.
  int kinstr_stop(void);

  /// Waits for the devices, writes what was recorded since the last flush to the file named by
  /// KINSTR_OPTIONS, and empties the arenas. The first file has that name, later ones are numbered:
  /// x.kitrace, x.1.kitrace, x.2.kitrace; where nothing was recorded since the last one, none is
  /// written. Meanwhile no other thread may launch traced kernels, and no stream may be in capture.
  /// Returns 0, a cudaError_t, or -1 if the file could not be written (the reason is on stderr).
  int kinstr_flush(void);

#ifdef __cplusplus
}
#endif

#endif // KINSTR_KINSTR_H
