// Fills a database in a file of its own, changes it, walks it with cursors, reads it again after it was closed.
#include "common.h"
#include "lmdb.h"
#include <unistd.h>

static void need(int result, const char *what) {
    if (!result) return;
    printf("%s: %s\n", what, mdb_strerror(result));
    exit(1);
}

static MDB_val value_of(const void *data, size_t size) {
    MDB_val value;
    value.mv_data = (void *)data;
    value.mv_size = size;
    return value;
}

static void walk(MDB_txn *transaction, MDB_dbi table, const char *name) {
    MDB_cursor *cursor;
    MDB_val key, value;
    uint64_t sum = 0, number = 0;
    need(mdb_cursor_open(transaction, table, &cursor), "cursor");
    for (int backwards = 0; backwards < 2; backwards++)
        for (int result = mdb_cursor_get(cursor, &key, &value, backwards ? MDB_LAST : MDB_FIRST); !result;
             result = mdb_cursor_get(cursor, &key, &value, backwards ? MDB_PREV : MDB_NEXT)) {
            sum = (sum * 31 + checksum(key.mv_data, key.mv_size)) * 31 + checksum(value.mv_data, value.mv_size);
            number++;
        }
    mdb_cursor_close(cursor);
    MDB_stat state;
    need(mdb_stat(transaction, table, &state), "stat");
    printf("%s: %lu entries, depth %u, %lu walked, %016llx\n", name, (unsigned long)state.ms_entries, state.ms_depth, (unsigned long)number,
           (unsigned long long)sum);
}

int main(int count, char **arguments) {
    int size = count > 1 ? atoi(arguments[1]) : 1000;
    char folder[] = "/tmp/lmdb-XXXXXX", path[64], text[300];
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/data", folder);
    unsigned char *data = make_data(100000);
    for (int round = 0; round < 3; round++) {
        MDB_env *environment;
        MDB_txn *transaction, *nested;
        MDB_dbi names, numbers, many;
        need(mdb_env_create(&environment), "create");
        need(mdb_env_set_mapsize(environment, 64 << 20), "map size");
        need(mdb_env_set_maxdbs(environment, 4), "tables");
        need(mdb_env_open(environment, path, MDB_NOSUBDIR | MDB_NOSYNC | MDB_NOLOCK, 0600), "open");
        need(mdb_txn_begin(environment, 0, 0, &transaction), "begin");
        need(mdb_dbi_open(transaction, "names", MDB_CREATE, &names), "names");
        need(mdb_dbi_open(transaction, "numbers", MDB_CREATE | MDB_INTEGERKEY, &numbers), "numbers");
        need(mdb_dbi_open(transaction, "many", MDB_CREATE | MDB_DUPSORT, &many), "many");
        for (int i = 0; i < size; i++) {
            uint32_t number = noise();
            snprintf(text, sizeof text, "key-%u", number % 5000);
            MDB_val key = value_of(text, strlen(text)), value = value_of(data + number % 50000, number % (i % 50 ? 200 : 20000));
            need(mdb_put(transaction, names, &key, &value, 0), "put");
            MDB_val integer = value_of(&number, sizeof number);
            value.mv_size = number % 30;
            need(mdb_put(transaction, numbers, &integer, &value, 0), "put");
            key = value_of(text, 5);
            int result = mdb_put(transaction, many, &key, &integer, MDB_NODUPDATA);
            if (result != MDB_KEYEXIST) need(result, "put");
            if (i % 7 == 3) {
                snprintf(text, sizeof text, "key-%u", noise() % 5000);
                key = value_of(text, strlen(text));
                result = mdb_del(transaction, names, &key, 0);
                if (result != MDB_NOTFOUND) need(result, "del");
            }
        }
        need(mdb_txn_begin(environment, transaction, 0, &nested), "nested");
        need(mdb_drop(nested, numbers, 0), "drop");
        mdb_txn_abort(nested);
        need(mdb_txn_commit(transaction), "commit");
        need(mdb_txn_begin(environment, 0, MDB_RDONLY, &transaction), "read");
        walk(transaction, names, "names");
        walk(transaction, numbers, "numbers");
        walk(transaction, many, "many");
        mdb_txn_abort(transaction);
        mdb_env_close(environment);
    }
    unlink(path);
    rmdir(folder);
    return 0;
}
