// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a database: docs/export.md says what is in them. Internal to
// tool/report.
#ifndef KINSTR_REPORT_SQLITESCHEMA_H
#define KINSTR_REPORT_SQLITESCHEMA_H

namespace kinstr::report::schema {

/// For a file that nobody else has open, and that is thrown away where it is
/// not completed.
constexpr char Open[] = R"sql(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA page_size = 16384;
PRAGMA cache_size = -32768;
BEGIN;
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value
) WITHOUT ROWID;
CREATE TABLE processes (
  id INTEGER PRIMARY KEY,
  rank INTEGER, host TEXT, boot_id TEXT, pid INTEGER, program TEXT,
  options TEXT, start_unix_ns INTEGER, end_unix_ns INTEGER,
  file TEXT, cut_short INTEGER
);
CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  process_id INTEGER REFERENCES processes(id),
  cuda_index INTEGER, name TEXT, compute_capability TEXT, sm_count INTEGER,
  clock_khz INTEGER, timer_step_ns INTEGER, memory_bytes INTEGER,
  driver TEXT, runtime TEXT, uuid TEXT,
  time_offset_ns INTEGER, time_error_ns INTEGER
);
CREATE TABLE dropped (
  device_id INTEGER REFERENCES devices(id),
  sm INTEGER, records INTEGER, events INTEGER
);
CREATE TABLE kernels (
  id INTEGER PRIMARY KEY,
  name TEXT, file TEXT, line INTEGER, buffer TEXT, layout TEXT, flow TEXT
);
CREATE TABLE phases (
  id INTEGER PRIMARY KEY,
  kernel_id INTEGER REFERENCES kernels(id),
  site INTEGER, kind TEXT, name TEXT, line INTEGER, drain TEXT
);
CREATE TABLE launches (
  id INTEGER PRIMARY KEY,
  device_id INTEGER REFERENCES devices(id),
  kernel_id INTEGER REFERENCES kernels(id),
  name TEXT,
  grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,
  block_x INTEGER, block_y INTEGER, block_z INTEGER,
  cluster_x INTEGER, cluster_y INTEGER, cluster_z INTEGER,
  dynamic_shared INTEGER, static_shared INTEGER, registers INTEGER,
  blocks_per_sm INTEGER, stream INTEGER, host_unix_ns INTEGER,
  file TEXT, line INTEGER,
  clock_source TEXT, ns_per_cycle REAL, alignment_error_ns REAL,
  origin_ns INTEGER, begin_ns INTEGER, end_ns INTEGER
);
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY,
  launch_id INTEGER REFERENCES launches(id),
  number INTEGER, sm INTEGER, begin_ns INTEGER, end_ns INTEGER,
  finished INTEGER, moved INTEGER
);
CREATE TABLE anchors (
  block_id INTEGER REFERENCES blocks(id),
  at_end INTEGER, sm INTEGER, global_ns INTEGER, cycle INTEGER
);
CREATE TABLE warps (
  id INTEGER PRIMARY KEY,
  block_id INTEGER REFERENCES blocks(id),
  warp INTEGER, begin_ns INTEGER, end_ns INTEGER,
  begin_cycle INTEGER, end_cycle INTEGER, finished INTEGER
);
CREATE TABLE spans (
  id INTEGER PRIMARY KEY,
  warp_id INTEGER REFERENCES warps(id),
  phase_id INTEGER REFERENCES phases(id),
  depth INTEGER, begin_ns INTEGER, end_ns INTEGER,
  begin_cycle INTEGER, end_cycle INTEGER, cycles INTEGER, open INTEGER
);
CREATE TABLE marks (
  id INTEGER PRIMARY KEY,
  warp_id INTEGER REFERENCES warps(id),
  phase_id INTEGER REFERENCES phases(id),
  ns INTEGER, cycle INTEGER
);
CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  warp_id INTEGER REFERENCES warps(id),
  phase_id INTEGER REFERENCES phases(id),
  depth INTEGER, begin_ns INTEGER, end_ns INTEGER,
  begin_cycle INTEGER, end_cycle INTEGER, cycles INTEGER, open INTEGER
);
CREATE TABLE "values" (
  id INTEGER PRIMARY KEY,
  warp_id INTEGER REFERENCES warps(id),
  phase_id INTEGER REFERENCES phases(id),
  span_id INTEGER REFERENCES spans(id),
  ns INTEGER, cycle INTEGER, type TEXT, value
);
)sql";

/// Indices cost least when all rows are there.
constexpr char Close[] = R"sql(
CREATE INDEX blocks_by_launch ON blocks(launch_id);
CREATE INDEX warps_by_block ON warps(block_id);
CREATE INDEX spans_by_warp ON spans(warp_id);
CREATE INDEX marks_by_warp ON marks(warp_id);
CREATE INDEX scopes_by_warp ON scopes(warp_id);
CREATE INDEX values_by_warp ON "values"(warp_id);
CREATE VIEW span_view AS
  SELECT s.id AS span_id, r.rank, l.device_id AS device, l.id AS launch,
         l.name AS kernel, b.number AS block, b.sm, w.warp, p.name AS phase, p.line, s.depth, s.begin_ns, s.end_ns,
         s.cycles, s.cycles * l.ns_per_cycle AS ns, s.open
    FROM spans s
    JOIN phases p ON p.id = s.phase_id
    JOIN warps w ON w.id = s.warp_id
    JOIN blocks b ON b.id = w.block_id
    JOIN launches l ON l.id = b.launch_id
    JOIN devices d ON d.id = l.device_id
    JOIN processes r ON r.id = d.process_id;
CREATE VIEW scope_view AS
  SELECT s.id AS scope_id, r.rank, l.device_id AS device, l.id AS launch,
         l.name AS kernel, b.number AS block, b.sm, w.warp, p.name AS scope,
         p.line, s.depth, s.begin_ns, s.end_ns, s.cycles,
         s.cycles * l.ns_per_cycle AS ns, s.open
    FROM scopes s
    JOIN phases p ON p.id = s.phase_id
    JOIN warps w ON w.id = s.warp_id
    JOIN blocks b ON b.id = w.block_id
    JOIN launches l ON l.id = b.launch_id
    JOIN devices d ON d.id = l.device_id
    JOIN processes r ON r.id = d.process_id;
CREATE VIEW value_view AS
  SELECT v.id AS value_id, r.rank, l.device_id AS device, l.id AS launch,
         l.name AS kernel, b.number AS block, b.sm, w.warp, p.name, p.line,
         v.ns, v.cycle, v.type, v.value, i.name AS phase
    FROM "values" v
    JOIN phases p ON p.id = v.phase_id
    JOIN warps w ON w.id = v.warp_id
    JOIN blocks b ON b.id = w.block_id
    JOIN launches l ON l.id = b.launch_id
    JOIN devices d ON d.id = l.device_id
    JOIN processes r ON r.id = d.process_id
    LEFT JOIN spans s ON s.id = v.span_id
    LEFT JOIN phases i ON i.id = s.phase_id;
CREATE VIEW phase_view AS
  SELECT rank, device, launch, kernel, phase, sum(NOT open) AS count,
         min(CASE WHEN NOT open THEN cycles END) AS min_cycles,
         avg(CASE WHEN NOT open THEN cycles END) AS mean_cycles,
         max(CASE WHEN NOT open THEN cycles END) AS max_cycles,
         avg(CASE WHEN NOT open THEN ns END) AS mean_ns,
         1.0 * sum(cycles) / (
           SELECT sum(w.end_cycle - w.begin_cycle)
             FROM warps w JOIN blocks b ON b.id = w.block_id
            WHERE b.launch_id = launch) AS share
    FROM span_view
   GROUP BY launch, phase;
COMMIT;
)sql";

} // namespace kinstr::report::schema

#endif // KINSTR_REPORT_SQLITESCHEMA_H
