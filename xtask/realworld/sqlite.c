// Fills tables, joins, aggregates, changes, checks; prints every result.
#include <stdio.h>
#include <stdlib.h>
#include "sqlite3.h"

static sqlite3 *database;

static void fail(const char *what) {
    printf("%s: %s\n", what, sqlite3_errmsg(database));
    exit(1);
}

static int print_row(void *unused, int columns, char **values, char **names) {
    (void)unused, (void)names;
    for (int i = 0; i < columns; i++) printf("%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
    printf("\n");
    return 0;
}

static void run(const char *sql) {
    printf("-- %s\n", sql);
    if (sqlite3_exec(database, sql, print_row, 0, 0)) printf("error: %s\n", sqlite3_errmsg(database));
}

static unsigned state = 2021;

static unsigned noise(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void fill(int rows) {
    sqlite3_stmt *insert;
    if (sqlite3_prepare_v2(database, "INSERT INTO item VALUES (?, ?, ?, ?, ?)", -1, &insert, 0)) fail("prepare");
    for (int i = 1; i <= rows; i++) {
        char name[40];
        int length = snprintf(name, sizeof name, "item %u of %d", noise() % 10000, i);
        sqlite3_bind_int(insert, 1, i);
        sqlite3_bind_text(insert, 2, name, length, SQLITE_TRANSIENT);
        sqlite3_bind_double(insert, 3, noise() % 100000 / 64.0);
        sqlite3_bind_int(insert, 4, (int)(noise() % 100));
        if (noise() % 10) sqlite3_bind_blob(insert, 5, name, length / 2, SQLITE_TRANSIENT);
        else sqlite3_bind_null(insert, 5);
        if (sqlite3_step(insert) != SQLITE_DONE) fail("insert");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    if (sqlite3_prepare_v2(database, "INSERT INTO kind VALUES (?, ?)", -1, &insert, 0)) fail("prepare");
    for (int i = 0; i < 100; i++) {
        char name[20];
        int length = snprintf(name, sizeof name, "kind %d", i * 7 % 100);
        sqlite3_bind_int(insert, 1, i);
        sqlite3_bind_text(insert, 2, name, length, SQLITE_TRANSIENT);
        if (sqlite3_step(insert) != SQLITE_DONE) fail("insert");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
}

int main(int count, char **arguments) {
    int rows = count > 1 ? atoi(arguments[1]) : 1000;
    if (sqlite3_open(":memory:", &database)) fail("open");
    printf("%s\n", sqlite3_libversion());
    run("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, value REAL, kind INT, data BLOB)");
    run("CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    run("CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT)");
    run("BEGIN");
    fill(rows);
    run("COMMIT");
    run("CREATE INDEX by_kind ON item (kind, value)");
    run("CREATE INDEX by_name ON item (name COLLATE NOCASE)");
    run("CREATE TRIGGER deleted AFTER DELETE ON item WHEN old.id % 1000 = 0 BEGIN INSERT INTO log (what) VALUES (old.name); END");
    run("SELECT count(*), sum(value), avg(value), min(name), max(name), total(kind), count(data) FROM item");
    run("SELECT kind, count(*), round(avg(value), 3) FROM item GROUP BY kind HAVING count(*) > 10 ORDER BY 3 DESC, 1 LIMIT 7");
    run("SELECT k.name, count(*), sum(i.value) FROM item i JOIN kind k ON k.id = i.kind GROUP BY k.name ORDER BY 2 DESC, 1 LIMIT 5");
    run("SELECT name FROM item WHERE name LIKE 'item 12%' ORDER BY name, id LIMIT 5");
    run("SELECT id, name, hex(data) FROM item WHERE id BETWEEN 500 AND 505 OR id = 77");
    run("SELECT a.id, b.id FROM item a JOIN item b ON b.name = upper(a.name) COLLATE NOCASE AND b.id >= a.id WHERE a.id % 9999 = 7 ORDER BY 1, 2");
    run("SELECT count(DISTINCT substr(name, 1, 8)), group_concat(DISTINCT kind % 7) FROM item WHERE value > 1500");
    run("SELECT id, value, rank() OVER (ORDER BY value DESC), sum(value) OVER (ROWS 2 PRECEDING) FROM item WHERE kind = 5 ORDER BY id LIMIT 6");
    run("WITH RECURSIVE n(x, y) AS (SELECT 1, 1 UNION ALL SELECT x + 1, y * 3 % 1000003 FROM n WHERE x < 5000) SELECT sum(x), sum(y), max(y) FROM n");
    run("SELECT kind, (SELECT count(*) FROM item j WHERE j.kind = kind.id AND j.value > 1000) FROM (SELECT 3 AS kind), kind WHERE id < 4");
    run("UPDATE item SET value = value * 2, name = upper(name) WHERE kind IN (1, 3, 5, 7) AND id % 3 = 0");
    run("DELETE FROM item WHERE id % 5 = 0 AND kind > 50");
    run("INSERT INTO kind VALUES (200, 'kind 3') ON CONFLICT (name) DO UPDATE SET id = 300 RETURNING id, name");
    run("SELECT count(*), sum(value), sum(length(name)) FROM item");
    run("SELECT count(*), min(what) FROM log");
    run("SELECT printf('%08.3f|%-10s|%x|%e', 3.14159, 'left', 48879, 12345.678), quote(x'00ff'), 7 / 2, -7 % 3, 1e300 * 1e10, 0.1 + 0.2");
    run("SELECT date('2001-02-03', '+1 month'), strftime('%j %W', '2020-12-31'), julianday('2000-01-01')");
    run("SELECT json_extract('{\"a\":[1,2,{\"b\":3.5}]}', '$.a[2].b'), json_group_array(id) FROM kind WHERE id < 5");
    run("SELECT abs(-9223372036854775807), 9223372036854775807 + 1, cast('12abc' AS INT), cast(1e19 AS INT), round(2.5), round(-0.5)");
    run("SELECT typeof(value), instr(name, 'of'), replace(name, 'item', 'thing'), trim('  x '), unicode('\xc3\xa4') FROM item LIMIT 2");
    run("SELECT * FROM missing");
    run("SAVEPOINT s");
    run("DELETE FROM item WHERE kind < 90");
    run("SELECT count(*) FROM item");
    run("ROLLBACK TO s");
    run("SELECT count(*) FROM item");
    run("VACUUM");
    run("RELEASE s");
    run("VACUUM");
    run("ANALYZE");
    run("SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2");
    run("EXPLAIN QUERY PLAN SELECT * FROM item WHERE kind = 3 AND value > 5");
    run("PRAGMA integrity_check");
    run("PRAGMA page_count");
    if (sqlite3_close(database)) fail("close");
    return 0;
}
