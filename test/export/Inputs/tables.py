"""tables.py CSV DATABASE: whether DuckDB and pandas read what is for them, and compute the same of it."""

import sqlite3
import sys

import duckdb
import pandas

path, database = sys.argv[1:]
db = sqlite3.connect(database)

# Of phases, by the view in the database and from the rows.
view = pandas.read_sql("SELECT phase, sum(count) AS count, min(min_cycles) AS low FROM phase_view GROUP BY phase", db)
rows = duckdb.sql(
    f"""SELECT phase, count(*) AS count, min(cycles) AS low FROM '{path}'
         WHERE kind = 'phase' AND open = 0 GROUP BY phase ORDER BY phase"""
).fetchall()
assert rows == list(view.sort_values("phase").itertuples(index=False, name=None)), (rows, view)

csv = pandas.read_csv(path)
assert (csv.begin_ns <= csv.end_ns).all()
scopes = pandas.read_sql("SELECT scope, cycles FROM scope_view", db).groupby("scope").cycles.median()
of_rows = csv[csv.kind == "scope"].groupby("phase").cycles.median()
assert scopes.to_dict() == of_rows.to_dict(), (scopes, of_rows)

values = pandas.read_sql("SELECT name, value FROM value_view WHERE value IS NOT NULL", db).groupby("name").value
of_rows = duckdb.sql(
    f"""SELECT phase, count(*), min(value), max(value) FROM '{path}'
         WHERE kind = 'value' AND NOT isnan(value) GROUP BY phase ORDER BY phase"""
).fetchall()
for (name, count, low, high), (want, of_name) in zip(of_rows, values, strict=True):
    # Singles have the digits in the rows that it takes to tell them apart.
    near = lambda a, b: abs(a - b) <= 1e-7 * abs(b)
    assert (name, count) == (want, of_name.count()), (name, want)
    assert near(low, of_name.min()) and near(high, of_name.max()), name
print(f"{len(rows)} phases, {len(scopes)} scopes, {len(of_rows)} values agree")
