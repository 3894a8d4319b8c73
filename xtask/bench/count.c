// A plugin of QEMU's user-mode emulation that counts the instructions of a program.
//
//   qemu-arm -plugin count.so,out=FILE program
//
// A block of translated code adds its length to the count whenever it begins, so that a block left in the middle,
// by a signal, counts whole. The interface is version 1 of QEMU's plugin API (docs/devel/tcg-plugins); what is
// used of it is declared here, as no package has its header. The file is opened first: a program may close all its
// descriptors.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *, uint64_t);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);

/// The only inline operation there is: adding to 64 bits.
enum { ADD_U64 = 0 };

EXPORT int qemu_plugin_version = 1;

static uint64_t count;
static FILE *out;

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, &count, qemu_plugin_tb_n_insns(block));
}

static void ended(plugin_id id, void *data) {
    (void)id, (void)data;
    fprintf(out, "%llu\n", (unsigned long long)count);
    fclose(out);
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    (void)info;
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "out=", 4) == 0)
            out = fopen(argv[i] + 4, "w");
    if (out == NULL)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
