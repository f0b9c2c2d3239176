// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as an SQLite 3 database: tables sources, columns (name, unit, ucd, description) and history (line).
#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <new>
#include <string>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_writers.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber {
namespace {

/// A database in the file that is renamed in the end.
class Database {
 public:
  Database(const std::string& path, std::string shown) : shown_(std::move(shown)) {
    const int code = sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    if (code != SQLITE_OK) {
      if (handle_ == nullptr || code == SQLITE_NOMEM) {
        sqlite3_close(handle_);
        throw std::bad_alloc();
      }
      const std::string reason = sqlite3_errmsg(handle_);
      sqlite3_close(handle_);
      throw DataError(fmt::format("{}: SQLite cannot write it: {}", shown_, reason));
    }
    // The file is new and renamed when whole: no journal beside it, and one sync at the end, which AtomicFile does.
    run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(handle_); }

  void run(const std::string& sql) { check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr)); }
  void check(int code) {
    if (code == SQLITE_NOMEM) throw std::bad_alloc();
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
      throw DataError(fmt::format("{}: writing the SQLite database failed: {}", shown_, sqlite3_errmsg(handle_)));
  }
  [[nodiscard]] sqlite3* handle() const { return handle_; }

 private:
  std::string shown_;
  sqlite3* handle_ = nullptr;
};

/// A statement that is filled and stepped once a row.
class Insert {
 public:
  Insert(Database& database, const std::string& sql) : database_(database) {
    database_.check(sqlite3_prepare_v2(database_.handle(), sql.c_str(), -1, &statement_, nullptr));
  }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;
  ~Insert() { sqlite3_finalize(statement_); }

  void bind(int place, double value) {
    database_.check(std::isnan(value) ? sqlite3_bind_null(statement_, place)
                                      : sqlite3_bind_double(statement_, place, value));
  }
  void bind(int place, std::int64_t value) { database_.check(sqlite3_bind_int64(statement_, place, value)); }
  void bind(int place, const std::string& value) {
    const std::string text = printable(value);
    database_.check(sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
  }
  void step() {
    database_.check(sqlite3_step(statement_));
    database_.check(sqlite3_reset(statement_));
  }

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

const char* type_of(const Column& column) {
  if (std::holds_alternative<std::vector<double>>(column.values)) return "REAL";
  if (std::holds_alternative<std::vector<std::int64_t>>(column.values)) return "INTEGER";
  return "TEXT";
}

void add_sources(Database& database, const Catalogue& catalogue) {
  std::string names, places;
  for (const Column& column : catalogue.columns) {
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", quoted(column.info.name), type_of(column));
    places += places.empty() ? "?" : ",?";
  }
  database.run("CREATE TABLE sources (" + names + ")");
  Insert insert(database, "INSERT INTO sources VALUES (" + places + ")");
  for (std::size_t row = 0; row < static_cast<std::size_t>(catalogue.rows()); ++row) {
    int place = 0;
    for (const Column& column : catalogue.columns) {
      ++place;
      std::visit([&](const auto& values) { insert.bind(place, values[row]); }, column.values);
    }
    insert.step();
  }
}

void add_description(Database& database, const Catalogue& catalogue) {
  database.run("CREATE TABLE columns (name TEXT, unit TEXT, ucd TEXT, description TEXT)");
  Insert column(database, "INSERT INTO columns VALUES (?,?,?,?)");
  for (const Column& one : catalogue.columns) {
    const ColumnInfo& info = one.info;
    int place = 0;
    for (const std::string* text : {&info.name, &info.unit, &info.ucd, &info.text}) column.bind(++place, *text);
    column.step();
  }
  database.run("CREATE TABLE history (line TEXT)");
  Insert line(database, "INSERT INTO history VALUES (?)");
  std::vector<std::string> lines = catalogue.history;
  if (!catalogue.frame.empty()) lines.push_back("frame of the positions: " + catalogue.frame);
  if (std::isfinite(catalogue.frequency_hz))
    lines.push_back(fmt::format("reference frequency: {} Hz", catalogue.frequency_hz));
  for (const std::string& text : lines) {
    line.bind(1, text);
    line.step();
  }
}

}  // namespace

void write_catalogue_sqlite(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  AtomicFile file(path, how);
  {
    Database database(file.temporary_path(), printable(path));
    add_sources(database, catalogue);
    add_description(database, catalogue);
    database.run("COMMIT");
  }
  file.commit();
}

}  // namespace reber
