// Compresses and expands blocks, with both compressors, with a dictionary, as frames, in pieces; and damaged data.
#include "common.h"
#include "lz4.h"
#include "lz4frame.h"
#include "lz4hc.h"

int main(int count, char **arguments) {
    int size = count > 1 ? atoi(arguments[1]) : 100000;
    char *data = (char *)make_data((size_t)size), *back = malloc((size_t)size + 64);
    size_t bound = LZ4F_compressFrameBound((size_t)size, 0) + 1000;
    char *packed = malloc(bound);
    for (int level = -8; level <= 12; level += 2) {
        int length = level < 0 ? LZ4_compress_fast(data, packed, size, (int)bound, -level) : LZ4_compress_HC(data, packed, size, (int)bound, level);
        int restored = LZ4_decompress_safe(packed, back, length, size);
        printf("level %d: %d %016llx %d\n", level, length, (unsigned long long)checksum((unsigned char *)packed, (size_t)length),
               restored == size && !memcmp(data, back, (size_t)size));
        int part = LZ4_decompress_safe_partial(packed, back, length, size / 3, size / 2);
        printf("part %d %d\n", part, part > 0 && !memcmp(data, back, (size_t)part));
    }
    LZ4_stream_t *stream = LZ4_createStream();
    LZ4_loadDict(stream, data, size / 4 < 65536 ? size / 4 : 65536);
    int length = LZ4_compress_fast_continue(stream, data + size / 2, packed, size / 3, (int)bound, 1);
    int restored = LZ4_decompress_safe_usingDict(packed, back, length, size, data, size / 4 < 65536 ? size / 4 : 65536);
    printf("dictionary: %d %d\n", length, restored == size / 3 && !memcmp(data + size / 2, back, (size_t)(size / 3)));
    LZ4_freeStream(stream);
    for (int kind = 0; kind < 6; kind++) {
        LZ4F_preferences_t preferences = {0};
        preferences.frameInfo.blockSizeID = (LZ4F_blockSizeID_t)(LZ4F_max64KB + kind % 4);
        preferences.frameInfo.blockMode = kind % 2 ? LZ4F_blockIndependent : LZ4F_blockLinked;
        preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
        preferences.frameInfo.blockChecksumFlag = kind > 2 ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
        preferences.compressionLevel = kind * 2;
        size_t made = LZ4F_compressFrame(packed, bound, data, (size_t)size, &preferences);
        LZ4F_dctx *context;
        LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
        size_t from = 0, to = 0, result = 1;
        while (result && !LZ4F_isError(result) && from < made) {
            size_t in = noise() % 9000 + 1, out = (size_t)size - to + 64;
            if (in > made - from) in = made - from;
            result = LZ4F_decompress(context, back + to, &out, packed + from, &in, 0);
            from += in;
            to += out;
        }
        printf("frame %d: %lu %016llx %d\n", kind, (unsigned long)made, (unsigned long long)checksum((unsigned char *)packed, made),
               to == (size_t)size && !memcmp(data, back, to));
        LZ4F_freeDecompressionContext(context);
    }
    length = LZ4_compress_default(data, packed, size, (int)bound);
    for (int i = 0; i < 50; i++) packed[noise() % (uint32_t)length] ^= (char)noise();
    printf("damaged: %d\n", LZ4_decompress_safe(packed, back, length, size) > 0);
    return 0;
}
