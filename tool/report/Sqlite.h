// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As much of SQLite's interface as writing a database once takes.
#ifndef KINSTR_REPORT_SQLITE_H
#define KINSTR_REPORT_SQLITE_H

#include "trace/Number.h"
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
    check(sqlite3_open_v2(Path.c_str(), &Handle,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                              SQLITE_OPEN_NOMUTEX,
                          nullptr));
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

/// Adds rows to a table, \p Batch with one statement where as many are to come:
/// of short rows that is twice as fast as one by one.
class Insert {
public:
  /// \p Row: `(?, ?)`, the parameters of a row.
  Insert(Database &Db, llvm::StringRef Table, llvm::StringRef Row,
         size_t Batch = 1)
      : Db(Db), Columns(static_cast<int>(Row.count('?'))), Batch(Batch),
        One(prepare(Table, Row, 1)),
        Many(Batch > 1 ? prepare(Table, Row, Batch) : nullptr) {}
  Insert(const Insert &) = delete;
  Insert &operator=(const Insert &) = delete;
  ~Insert() {
    sqlite3_finalize(One);
    sqlite3_finalize(Many);
  }

  /// So many rows follow. Without it, they are added one by one.
  void expect(size_t Rows) { Expected = Rows; }

  /// Integers, floating point, texts; std::optional and nullopt for NULL.
  template <typename... Values> void operator()(const Values &...Row) {
    if (Db.failed())
      return;
    bool InBatch = Filled > 0 || (Many && Expected >= Batch);
    Current = InBatch ? Many : One;
    int Column = InBatch ? static_cast<int>(Filled) * Columns : 0;
    (bind(++Column, Row), ...);
    if (Expected > 0)
      --Expected;
    if (InBatch && ++Filled < Batch)
      return;
    Filled = 0;
    Db.check(sqlite3_step(Current));
    sqlite3_reset(Current);
  }

private:
  sqlite3_stmt *prepare(llvm::StringRef Table, llvm::StringRef Row,
                        size_t Rows) {
    std::string Sql = ("INSERT INTO " + Table + " VALUES " + Row).str();
    for (size_t I = 1; I < Rows; ++I)
      Sql += (", " + Row).str();
    sqlite3_stmt *Out = nullptr;
    if (!Db.failed())
      Db.check(sqlite3_prepare_v2(Db.Handle, Sql.c_str(), -1, &Out, nullptr));
    return Out;
  }

  template <typename T,
            std::enable_if_t<std::is_integral_v<T>, bool> IsInteger = true>
  void bind(int Column, T Value) {
    sqlite3_bind_int64(Current, Column, static_cast<sqlite3_int64>(Value));
  }
  void bind(int Column, double Value) {
    sqlite3_bind_double(Current, Column, Value);
  }
  /// Integers as such, and what is no number as NULL.
  void bind(int Column, const trace::Number &N) {
    if (N.Type == number_type::floating_point)
      bind(Column, N.toDouble());
    else if (N.Type == number_type::signed_integer)
      bind(Column, static_cast<int32_t>(N.Bits));
    else
      bind(Column, N.Bits);
  }
  void bind(int Column, std::nullopt_t) { sqlite3_bind_null(Current, Column); }
  void bind(int Column, llvm::StringRef Text) {
    sqlite3_bind_text64(Current, Column, Text.data(), Text.size(),
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
  int Columns;
  size_t Batch, Filled = 0, Expected = 0;
  sqlite3_stmt *One, *Many, *Current = nullptr;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_SQLITE_H
