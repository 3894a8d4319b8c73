// Hashes of inputs of many lengths, with a key and for derived keys, in pieces, with long results.
#include "common.h"
#include "blake3.h"

int main(int count, char **arguments) {
    size_t size = count > 1 ? strtoul(arguments[1], 0, 10) : 100000;
    unsigned char *data = make_data(size), result[200], key[BLAKE3_KEY_LEN];
    for (unsigned i = 0; i < sizeof key; i++) key[i] = (unsigned char)(i * 7 + 1);
    size_t length = 0;
    for (int round = 0; length <= size; round++, length += 1 + length * (1 + round % 3) / 4) {
        blake3_hasher hasher;
        switch (round % 3) {
        case 0: blake3_hasher_init(&hasher); break;
        case 1: blake3_hasher_init_keyed(&hasher, key); break;
        default: blake3_hasher_init_derive_key(&hasher, "a context for tests");
        }
        for (size_t at = 0; at < length;) {
            size_t piece = noise() % 5000 + 1;
            if (piece > length - at) piece = length - at;
            blake3_hasher_update(&hasher, data + at, piece);
            at += piece;
        }
        blake3_hasher_finalize_seek(&hasher, noise() % 1000, result, sizeof result);
        printf("%lu:", (unsigned long)length);
        for (unsigned i = 0; i < 16; i++) printf("%02x", result[i]);
        printf(" %016llx\n", (unsigned long long)checksum(result, sizeof result));
    }
    return 0;
}
