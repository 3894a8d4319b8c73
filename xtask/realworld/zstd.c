// Compresses and expands with several levels, with a dictionary-free stream and with a checksum.
#include "common.h"
#include "zstd.h"

int main(int count, char **arguments) {
    size_t size = count > 1 ? strtoul(arguments[1], 0, 10) : 100000;
    unsigned char *data = make_data(size), *back = malloc(size);
    size_t bound = ZSTD_compressBound(size);
    unsigned char *packed = malloc(bound);
    static const int levels[] = {-5, 1, 2, 3, 5, 7, 9, 12, 15, 19};
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
        size_t length = ZSTD_compress(packed, bound, data, size, levels[i]);
        if (ZSTD_isError(length)) {
            printf("level %d: %s\n", levels[i], ZSTD_getErrorName(length));
            continue;
        }
        size_t restored = ZSTD_decompress(back, size, packed, length);
        printf("level %d: %lu %016llx %d\n", levels[i], (unsigned long)length, (unsigned long long)checksum(packed, length),
               restored == size && !memcmp(data, back, size));
    }
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 4);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
    ZSTD_outBuffer out = {packed, bound, 0};
    for (size_t at = 0; at < size;) {
        size_t piece = noise() % 9000 + 1;
        if (piece > size - at) piece = size - at;
        ZSTD_inBuffer in = {data + at, piece, 0};
        at += piece;
        size_t left;
        do left = ZSTD_compressStream2(context, &out, &in, at == size ? ZSTD_e_end : ZSTD_e_continue);
        while (!ZSTD_isError(left) && (in.pos < in.size || (at == size && left)));
    }
    size_t restored = ZSTD_decompress(back, size, packed, out.pos);
    printf("stream: %lu %016llx %d\n", (unsigned long)out.pos, (unsigned long long)checksum(packed, out.pos),
           restored == size && !memcmp(data, back, size));
    packed[out.pos / 2] ^= 4;
    restored = ZSTD_decompress(back, size, packed, out.pos);
    printf("damaged: %d\n", ZSTD_isError(restored) ? 1 : 0);
    ZSTD_freeCCtx(context);
    return 0;
}
