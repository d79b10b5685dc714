// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the process, and what enters it when the program loads: options and modules.
#include "messages.h"
#include "state.h"

#include <cstdlib>
#include <ctime>
#include <exception>
#include <unistd.h>

namespace kinstr::rt
{
namespace
{

std::string current_folder()
{
  char *const folder     = ::getcwd(nullptr, 0);
  const std::string copy = folder != nullptr ? folder : "";
  std::free(folder);
  return copy;
}

process_state *make_process_state()
{
  auto *const p   = new process_state;
  p->start_folder = current_folder();
  p->identity     = read_identity();
  if (const char *const text = std::getenv("KINSTR_OPTIONS"))
  {
    p->options_text       = text;
    parsed_options parsed = parse_options(text);
    p->settings           = parsed.values;
    for (const std::string &complaint : parsed.complaints)
    {
      report(severity::error, "%s", complaint.c_str());
    }
  }
  return p;
}

/// Volatile: clang runs constructors at compile time as if nothing came before them, and takes away
/// one that finds this still false.
volatile std::atomic<bool> has_modules{false};

/// Runs behind the constructors of the objects that are linked before this library, which register
/// their kernels with CUDA and their modules here. A rewritten file that is loaded later is
/// attached at the first launch seen after that.
[[gnu::constructor]] void program_is_loaded()
{
  if (has_modules)
  {
    attach_at_load();
  }
}

void add_module(process_state &p, kinstr_module &m)
{
  const std::lock_guard<std::mutex> lock(p.mutex);

  // Not null: registered already. A library that is unloaded and loaded again starts with null.
  if (m.next != nullptr)
  {
    return;
  }
  const char *const tables = m.tables != nullptr ? m.tables : "{}";
  p.modules.push_back({&m, tables, read_tables(tables)});
  m.index = static_cast<std::uint32_t>(p.modules.size() - 1);
  m.next  = &m;

  has_modules = true;
}

void remove_module(process_state &p, kinstr_module &m)
{
  const std::lock_guard<std::mutex> lock(p.mutex);

  // Another copy of the library may have registered it.
  if (m.index < p.modules.size() && p.modules[m.index].module == &m)
  {
    p.modules[m.index].module = nullptr;
    m.next                    = nullptr;
  }
}

} // namespace

process_state &the_process()
{
  static process_state *const p = make_process_state();
  return *p;
}

bool in_forked_child(const process_state &p)
{
  const pid_t pid = p.attached_pid.load(std::memory_order_relaxed);
  return pid != 0 && pid != ::getpid();
}

std::uint64_t unix_ns()
{
  timespec t;
  ::clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

} // namespace kinstr::rt

extern "C" void kinstr_register(kinstr_module *module)
{
  using namespace kinstr::rt;
  try
  {
    // Of a module for another ABI nothing but this number may be read.
    if (module->abi != kinstr::abi_version)
    {
      report(severity::error,
             "a file rewritten for ABI %u is not recorded: this libkinstr_rt has ABI %u; run "
             "kinstr on "
             "the file again",
             module->abi, kinstr::abi_version);
      return;
    }
    add_module(the_process(), *module);
  }
  catch (const std::exception &e)
  {
    report(severity::error, "a file is not recorded: %s", e.what());
  }
}

extern "C" void kinstr_unregister(kinstr_module *module)
{
  using namespace kinstr::rt;
  if (module->abi != kinstr::abi_version || module->next == nullptr)
  {
    return;
  }
  process_state &p = the_process();
  if (in_forked_child(p)) // before the lock: another thread of the parent may have held it
  {
    return;
  }
  try
  {
    remove_module(p, *module);
  }
  catch (const std::exception &e)
  {
    report(severity::error, "%s", e.what());
  }
}
