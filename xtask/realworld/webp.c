// Encodes a picture with and without loss, decodes it to several formats, also scaled and cropped.
#include "common.h"
#include "webp/decode.h"
#include "webp/encode.h"

int main(int count, char **arguments) {
    int width = count > 1 ? atoi(arguments[1]) : 64, height = width * 3 / 4;
    size_t size = (size_t)width * (size_t)height * 4;
    unsigned char *picture = malloc(size);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            unsigned char *pixel = picture + 4 * (y * width + x);
            int circle = (x - width / 2) * (x - width / 2) + (y - height / 2) * (y - height / 2);
            pixel[0] = (unsigned char)(x * 255 / width);
            pixel[1] = (unsigned char)(circle / (width / 8 + 1));
            pixel[2] = (unsigned char)(x / 8 % 2 ^ y / 8 % 2 ? 200 : noise() % 40);
            pixel[3] = circle < width * width / 6 ? 255 : (unsigned char)(y * 255 / height);
        }
    }
    static const float qualities[] = {5, 50, 75, 95};
    for (int kind = 0; kind < 14; kind++) {
        WebPConfig config;
        WebPPicture input;
        WebPMemoryWriter writer;
        if (!WebPConfigPreset(&config, (WebPPreset)(kind % 6), qualities[kind % 4]) || !WebPPictureInit(&input)) return 1;
        config.lossless = kind >= 8;
        config.method = kind % 7;
        config.near_lossless = kind == 12 ? 40 : 100;
        config.use_sharp_yuv = kind == 3;
        config.partitions = kind % 4;
        config.sns_strength = kind * 7;
        config.target_size = kind == 5 ? (int)size / 60 : 0;
        input.use_argb = config.lossless;
        input.width = width;
        input.height = height;
        WebPMemoryWriterInit(&writer);
        input.writer = WebPMemoryWrite;
        input.custom_ptr = &writer;
        int made = WebPPictureImportRGBA(&input, picture, width * 4) && WebPEncode(&config, &input);
        printf("kind %d: %d %d %lu %016llx", kind, made, input.error_code, (unsigned long)writer.size,
               (unsigned long long)checksum(writer.mem, writer.size));
        int w = 0, h = 0;
        unsigned char *back = WebPDecodeRGBA(writer.mem, writer.size, &w, &h);
        if (back) printf(" %dx%d %016llx %d", w, h, (unsigned long long)checksum(back, size), !memcmp(back, picture, size));
        WebPDecoderConfig decoder;
        WebPInitDecoderConfig(&decoder);
        decoder.options.use_cropping = kind % 2;
        decoder.options.crop_left = width / 4;
        decoder.options.crop_top = height / 5;
        decoder.options.crop_width = width / 2;
        decoder.options.crop_height = height / 2;
        decoder.options.use_scaling = kind % 3 != 0;
        decoder.options.scaled_width = width * 2 / 3;
        decoder.options.scaled_height = height / 3;
        decoder.options.dithering_strength = kind * 5;
        decoder.options.no_fancy_upsampling = kind % 5 == 0;
        decoder.output.colorspace = (WEBP_CSP_MODE)(kind % MODE_LAST);
        int status = WebPDecode(writer.mem, writer.size, &decoder);
        printf(" %d", status);
        if (status == VP8_STATUS_OK) {
            const WebPDecBuffer *out = &decoder.output;
            if (WebPIsRGBMode(out->colorspace)) {
                printf(" %016llx", (unsigned long long)checksum(out->u.RGBA.rgba, (size_t)out->u.RGBA.stride * (size_t)(out->height - 1)));
            } else {
                printf(" %016llx", (unsigned long long)checksum(out->u.YUVA.y, (size_t)out->u.YUVA.y_stride * (size_t)(out->height - 1)));
            }
        }
        if (writer.size > 40) {
            writer.mem[writer.size / 2] ^= 16;
            unsigned char *damaged = WebPDecodeBGR(writer.mem, writer.size, &w, &h);
            printf(" %d", damaged != 0);
            WebPFree(damaged);
        }
        printf("\n");
        WebPFree(back);
        WebPFreeDecBuffer(&decoder.output);
        WebPMemoryWriterClear(&writer);
        WebPPictureFree(&input);
    }
    return 0;
}
