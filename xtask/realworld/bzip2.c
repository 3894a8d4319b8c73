// Compresses and expands with several block sizes, also with little memory.
#include "common.h"
#include "bzlib.h"

void bz_internal_error(int code) {
    printf("internal error %d\n", code);
    exit(1);
}

int main(int count, char **arguments) {
    size_t size = count > 1 ? strtoul(arguments[1], 0, 10) : 100000;
    unsigned char *data = make_data(size), *back = malloc(size);
    unsigned bound = (unsigned)(size + size / 50 + 1000);
    char *packed = malloc(bound);
    for (int block = 1; block <= 9; block += 4) {
        unsigned length = bound, restored = (unsigned)size;
        int a = BZ2_bzBuffToBuffCompress(packed, &length, (char *)data, (unsigned)size, block, 0, block == 5 ? 1 : 30);
        int b = BZ2_bzBuffToBuffDecompress((char *)back, &restored, packed, length, block == 9, 0);
        printf("block %d: %d %d %u %016llx %d\n", block, a, b, length,
               (unsigned long long)checksum((unsigned char *)packed, length), restored == size && !memcmp(data, back, size));
    }
    memset(data, 'a', size / 2);
    unsigned length = bound, restored = (unsigned)size;
    BZ2_bzBuffToBuffCompress(packed, &length, (char *)data, (unsigned)size, 3, 0, 0);
    int result = BZ2_bzBuffToBuffDecompress((char *)back, &restored, packed, length, 0, 0);
    printf("repeated: %d %u %d\n", result, length, restored == size && !memcmp(data, back, size));
    packed[length / 2] ^= 1;
    restored = (unsigned)size;
    printf("damaged: %d\n", BZ2_bzBuffToBuffDecompress((char *)back, &restored, packed, length, 0, 0));
    return 0;
}
