// Deflates and inflates with every level and strategy, whole and in pieces.
#include "common.h"
#include "zlib.h"

int main(int count, char **arguments) {
    size_t size = count > 1 ? strtoul(arguments[1], 0, 10) : 100000;
    unsigned char *data = make_data(size), *back = malloc(size + 64);
    uLong bound = compressBound(size) + 1000;
    unsigned char *packed = malloc(bound);
    printf("%s crc %08lx adler %08lx\n", zlibVersion(), crc32(0, data, size), adler32(1, data, size));
    for (int level = 0; level <= 9; level++) {
        uLongf length = bound, restored = size + 64;
        int a = compress2(packed, &length, data, size, level);
        int b = uncompress(back, &restored, packed, length);
        printf("level %d: %d %d %lu %016llx %d\n", level, a, b, (unsigned long)length,
               (unsigned long long)checksum(packed, length), restored == size && !memcmp(data, back, size));
    }
    for (int strategy = 0; strategy <= 4; strategy++) {
        z_stream out = {0}, in = {0};
        deflateInit2(&out, 6, Z_DEFLATED, 15 + (strategy == 2 ? 16 : 0), 8, strategy);
        out.next_in = data, out.next_out = packed, out.avail_out = (uInt)bound;
        // In pieces of odd sizes, with a flush now and then.
        for (size_t at = 0; at < size;) {
            size_t piece = noise() % 7000 + 1;
            if (piece > size - at) piece = size - at;
            out.avail_in = (uInt)piece, at += piece;
            deflate(&out, at == size ? Z_FINISH : noise() % 16 ? Z_NO_FLUSH : Z_SYNC_FLUSH);
        }
        unsigned long length = out.total_out;
        deflateEnd(&out);
        inflateInit2(&in, 32 + 15);
        in.next_in = packed, in.avail_in = (uInt)length, in.next_out = back;
        int result;
        do {
            uLong left = size + 64 - in.total_out;
            in.avail_out = (uInt)(left < 5000 ? left : 5000);
        } while ((result = inflate(&in, Z_NO_FLUSH)) == Z_OK);
        printf("strategy %d: %d %lu %016llx %d\n", strategy, result, length, (unsigned long long)checksum(packed, length),
               in.total_out == size && !memcmp(data, back, size));
        inflateEnd(&in);
    }
    packed[1000] ^= 64;
    uLongf restored = size + 64;
    printf("damaged: %d\n", uncompress(back, &restored, packed, 100000));
    return 0;
}
