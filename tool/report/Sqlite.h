// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As much of SQLite's interface as writing a database once takes.
#ifndef KINSTR_REPORT_SQLITE_H
#define KINSTR_REPORT_SQLITE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <sqlite3.h>

namespace kinstr::report {

/// A database that is being written. The first error is kept, and what comes
/// after it does nothing.
class Database {
public:
  explicit Database(const std::string &Path) {
    check(sqlite3_open(Path.c_str(), &Handle));
  }
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;
  ~Database() { sqlite3_close(Handle); }

  void run(const char *Sql) {
    if (Why.empty())
      check(sqlite3_exec(Handle, Sql, nullptr, nullptr, nullptr));
  }
  bool failed() const { return !Why.empty(); }
  llvm::Error error() const {
    return failed() ? llvm::createStringError(Why) : llvm::Error::success();
  }

private:
  friend class Insert;

  void check(int Result) {
    if (Result != SQLITE_OK && Result != SQLITE_DONE && Why.empty())
      Why = sqlite3_errmsg(Handle);
  }

  sqlite3 *Handle = nullptr;
  std::string Why;
};

/// A prepared statement with parameters ?1 and up.
class Insert {
public:
  Insert(Database &Db, const char *Sql) : Db(Db) {
    if (!Db.failed())
      Db.check(sqlite3_prepare_v2(Db.Handle, Sql, -1, &Statement, nullptr));
  }
  Insert(const Insert &) = delete;
  Insert &operator=(const Insert &) = delete;
  ~Insert() { sqlite3_finalize(Statement); }

  /// Integers, floating point, texts; std::optional and nullopt for NULL.
  template <typename... Values> void operator()(const Values &...Row) {
    if (Db.failed())
      return;
    int Column = 0;
    (bind(++Column, Row), ...);
    Db.check(sqlite3_step(Statement));
    sqlite3_reset(Statement);
  }

private:
  template <typename T,
            std::enable_if_t<std::is_integral_v<T>, bool> IsInteger = true>
  void bind(int Column, T Value) {
    sqlite3_bind_int64(Statement, Column, static_cast<sqlite3_int64>(Value));
  }
  void bind(int Column, double Value) {
    sqlite3_bind_double(Statement, Column, Value);
  }
  void bind(int Column, std::nullopt_t) {
    sqlite3_bind_null(Statement, Column);
  }
  void bind(int Column, llvm::StringRef Text) {
    sqlite3_bind_text64(Statement, Column, Text.data(), Text.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  void bind(int Column, const std::string &Text) {
    bind(Column, llvm::StringRef(Text));
  }
  void bind(int Column, const char *Text) {
    bind(Column, llvm::StringRef(Text));
  }
  template <typename T> void bind(int Column, const std::optional<T> &Value) {
    if (Value)
      bind(Column, *Value);
    else
      bind(Column, std::nullopt);
  }

  Database &Db;
  sqlite3_stmt *Statement = nullptr;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_SQLITE_H
