/* Verdicts of the historical validators of Native Client, by the protocol of ice-validator's example `judge`.
 *
 * Their sources are not part of this repository: `cargo xtask validators DIR` compiles this file with them. A call
 * that does not end a bundle is reported by them and no error; the same holds here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native_client/src/trusted/validator_ragel/validator.h"

/* What the validators want of the rest of the original: a log, and the extensions that the sandbox knows. */
void NaClLog(int level, const char *format, ...) {
    (void)level;
    (void)format;
}

static Bool judge_place(const uint8_t *begin, const uint8_t *end, uint32_t info, void *data) {
    (void)begin;
    (void)end;
    (void)data;
    return (info & (VALIDATION_ERRORS_MASK | BAD_JUMP_TARGET)) == 0;
}

int main(void) {
    static uint8_t text[1 << 16];
    unsigned char head[3];
    NaClCPUFeaturesX86 features;
    memset(&features, 1, sizeof features);
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        size_t length = head[1] | (size_t)head[2] << 8;
        if (fread(text, 1, length, stdin) != length) {
            return 1;
        }
        Bool verdict = head[0] == 0 ? ValidateChunkAMD64(text, length, 0, &features, judge_place, NULL)
                                    : ValidateChunkIA32(text, length, 0, &features, judge_place, NULL);
        putchar(verdict != 0);
    }
    return 0;
}
