/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dump_db FILE: the canonical dump of a database on standard output. Exit status 0, 2 (usage), 3 (cannot be read). */
#include "store/store.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fputs("usage: dump_db FILE\n", stderr);
        return 2;
    }
    sim_store_error error;
    sim_store *store = sim_store_open(argv[1], &error);
    const bool ok = store != NULL && sim_store_dump(store, stdout, &error);
    sim_store_close(store);
    if (!ok)
        (void)fprintf(stderr, "dump_db: %s\n", error.message);
    return ok ? 0 : 3;
}
