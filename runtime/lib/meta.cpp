// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the runtime's state to the JSON of docs/trace-format.md.
#include "meta.h"

#include "json.h"

#include <cstdio>
#include <errno.h> // program_invocation_short_name
#include <unistd.h>

namespace kinstr::rt
{
namespace
{

std::string version(int v)
{
  return std::to_string(v / 1000) + '.' + std::to_string(v % 1000 / 10);
}

/// An eighth of a cycle is as fine as it was measured.
std::string decimal(std::uint32_t eighths)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", eighths / 8.0);
  return text;
}

void write_calibration(json_writer &json, const device_entry &d)
{
  static_assert(calibration_marks == 8);
  if (d.calibrated.empty())
  {
    return;
  }
  json.member("calibration_us", d.calibration_us);
  if (const std::uint32_t step = d.calibrated[calibrated_timer_step])
  {
    json.member("timer_step_ns", step);
  }
  json.key("mark_costs").begin_array();
  for (std::uint32_t i = 0; i < calibrated_count; ++i)
  {
    json.begin_object()
        .member("buffer", std::string(calibrated_recorders[i].buffer))
        .member("layout", std::string(calibrated_recorders[i].layout))
        .key("cycles")
        .raw(decimal(d.calibrated[i]))
        .end_object();
  }
  json.end_array();
}

void write(json_writer &json, const device_entry &d)
{
  const device_properties &p = d.properties;
  json.begin_object()
      .member("index", d.ordinal)
      .member("context", d.number)
      .member("name", p.name)
      .member("uuid", p.uuid)
      .member("compute_capability", std::to_string(p.major) + '.' + std::to_string(p.minor))
      .member("sm_count", p.sm_count)
      .member("clock_khz", p.clock_khz)
      .member("memory_bytes", p.memory_bytes)
      .member("shared_per_sm", p.shared_per_sm)
      .member("driver", version(p.driver))
      .member("runtime", version(p.runtime))
      .member("regions", d.arena.regions)
      .member("region_words", d.arena.region_words);
  write_calibration(json, d);
  json.end_object();
}

void write(json_writer &json, const function_entry &f)
{
  json.begin_object()
      .member("module", f.module)
      .member("kernel", f.kernel)
      .member("name", f.name)
      .member("registers", f.registers)
      .member("static_shared", f.static_shared)
      .member("local_bytes", f.local_bytes)
      .end_object();
}

void write(json_writer &json, const launch_entry &l)
{
  json.begin_object()
      .member("device", l.device)
      .member("module", l.module)
      .member("site", l.site)
      .member("function", l.function)
      .member("grid", l.grid)
      .member("block", l.block)
      .member("dynamic_shared", l.dynamic_shared)
      .member("stream", l.stream)
      .member("host_unix_ns", l.host_unix_ns)
      .member("blocks_per_sm", l.blocks_per_sm)
      .member("captured", l.captured)
      .end_object();
}

void write(json_writer &json, const region_loss &l)
{
  json.begin_object()
      .member("device", l.device)
      .member("sm", l.sm)
      .member("records", l.records)
      .member("events", l.events)
      .end_object();
}

void write_samples(json_writer &json, const char *name, const sampling &s)
{
  if (s.all())
  {
    return;
  }
  json.key(name).begin_object();
  if (s.every > 1)
  {
    json.member("every", s.every);
  }
  else
  {
    json.member("first", s.first).member("count", s.count);
  }
  json.end_object();
}

void write_sampling(json_writer &json, const options &o)
{
  json.key("sampling").begin_object();
  write_samples(json, "blocks", o.blocks);
  write_samples(json, "warps", o.warps);
  write_samples(json, "sms", o.sms);
  json.end_object();
}

void write(json_writer &json, const module_entry &m) { json.raw(m.tables); }

template <typename T>
void write(json_writer &json, const std::unique_ptr<T> &p)
{
  write(json, *p);
}

template <typename T>
void write_table(json_writer &json, const char *name, const std::vector<T> &rows)
{
  json.key(name).begin_array();
  for (const T &row : rows)
  {
    write(json, row);
  }
  json.end_array();
}

} // namespace

std::uint64_t trace_totals::dropped_records() const
{
  std::uint64_t n = 0;
  for (const region_loss &l : dropped)
  {
    n += l.records;
  }
  return n;
}

std::uint64_t trace_totals::dropped_events() const
{
  std::uint64_t n = 0;
  for (const region_loss &l : dropped)
  {
    n += l.events;
  }
  return n;
}

std::string write_meta(const process_state &p, const trace_totals &totals)
{
  json_writer json;
  json.begin_object()
      .member("producer", "kinstr " KINSTR_VERSION)
      .member("abi", abi_version)
      .member("program", std::string(program_invocation_short_name))
      .member("pid", ::getpid())
      .member("options", p.options_text)
      .member("start_unix_ns", p.attached_unix_ns)
      .member("end_unix_ns", unix_ns())
      .member("host", p.identity.host)
      .member("boot_id", p.identity.boot_id);
  if (p.identity.rank >= 0)
  {
    json.member("rank", p.identity.rank);
  }
  if (p.settings.overflow != overflow_mode::stop)
  {
    json.member("overflow",
                std::string(p.settings.overflow == overflow_mode::ring ? "ring" : "grow"));
  }
  write_sampling(json, p.settings);
  write_table(json, "devices", p.devices);
  write_table(json, "modules", p.modules);
  write_table(json, "functions", p.functions);
  write_table(json, "launches", p.launches);
  write_table(json, "dropped", totals.dropped);
  json.key("totals")
      .begin_object()
      .member("records", totals.records)
      .member("events", totals.events)
      .member("dropped_records", totals.dropped_records())
      .member("dropped_events", totals.dropped_events())
      .member("launches_not_listed", p.launches_not_listed)
      .end_object();
  return json.end_object().text();
}

} // namespace kinstr::rt
