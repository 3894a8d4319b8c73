// Compiles patterns that use the whole syntax, matches them by both engines, substitutes.
#include "common.h"
#define PCRE2_CODE_UNIT_WIDTH 8
#include "pcre2.h"

static const char *const patterns[] = {
    "(quick|brown)\\s+(\\w+)", "^\\s*(\\d{1,3})(?:\\.(\\d+))?$", "(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)",
    "(a+)+b", "(?i)[[:alpha:]]+ING\\b", "\\p{Lu}\\p{Ll}+", "(?<=;)[0-9a-f]{8}(?=;|$)", "(\\((?:[^()]++|(?1))*\\))",
    "(?|(a)|(b)(c))\\1", "\\b(\\w)(\\w)?(\\w)?\\w?\\3?\\2\\1\\b", "(?>x*)y", "[^\\x00-\\x7f]+", "(?m)^.{3,9}?$", "(?s)a.*?z",
    "\\R", "(?:jumps|lazily|data,)(?!\\s)", "([a-z]+)(?:, \\1)+", "(?x) ( [a-z] ) # comment\n \\d+", "(unclosed", "a{2,1}", "\\X{2}",
    "(?(?=\\d)\\d+|[a-z]+)!", "(*UTF)(*UCP)\\w+\\s\\w+",
};

static const char *const subjects[] = {
    "the quick brown fox jumps over the lazy dog", "  42.195", "on 2024-02-29 and 1999-12-31", "aaaaaaaaaaaaaaaaaaaaab", "Singing in the RAIN, walking",
    "12;0123abcd;ffffffff;", "f(a, (b), ((c)(d)))(", "abcba noon level radar", "xxxy xxx", "\xc3\x84pfel \xc3\x96l \xe2\x82\xac 100 \xf0\x9f\x98\x80",
    "one\ntwo lines\r\nthree\n", "so, so, so on", "7! abc! d4 e55", "aacbcb",
};

static void match(const pcre2_code *code, const unsigned char *text, size_t length, int with_dfa) {
    pcre2_match_data *data = pcre2_match_data_create(20, 0);
    int workspace[500], found = 0, result = 0;
    uint64_t sum = 0;
    for (size_t at = 0; at <= length && found < 10000; found++) {
        result = with_dfa ? pcre2_dfa_match(code, text, length, at, 0, data, 0, workspace, 500)
                          : pcre2_match(code, text, length, at, 0, data, 0);
        if (result < 0) break;
        PCRE2_SIZE *ends = pcre2_get_ovector_pointer(data);
        for (int i = 0; i < 2 * result; i++) sum = sum * 31 + (uint64_t)(long)ends[i];
        at = ends[1] > at ? ends[1] : at + 1;
    }
    printf(" %d/%d/%llx", found, result, (unsigned long long)sum);
    pcre2_match_data_free(data);
}

int main(int count, char **arguments) {
    size_t size = count > 1 ? strtoul(arguments[1], 0, 10) : 10000;
    unsigned char *data = make_data(size);
    for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        for (unsigned flags = 0; flags < 2; flags++) {
            int error;
            PCRE2_SIZE where;
            uint32_t options = flags ? PCRE2_UTF | PCRE2_UCP | PCRE2_CASELESS : 0;
            pcre2_code *code = pcre2_compile((PCRE2_SPTR)patterns[p], PCRE2_ZERO_TERMINATED, options, &error, &where, 0);
            if (!code) {
                unsigned char text[200];
                pcre2_get_error_message(error, text, sizeof text);
                printf("%u: %s at %u\n", p, (char *)text, (unsigned)where);
                continue;
            }
            uint32_t groups, least;
            pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
            pcre2_pattern_info(code, PCRE2_INFO_MINLENGTH, &least);
            printf("%u: %u groups, %u long:", p, groups, least);
            for (unsigned s = 0; s < sizeof subjects / sizeof *subjects; s++) {
                match(code, (PCRE2_SPTR)subjects[s], strlen(subjects[s]), 0);
                match(code, (PCRE2_SPTR)subjects[s], strlen(subjects[s]), 1);
            }
            if (!flags) match(code, data, size, 0);
            unsigned char out[400];
            PCRE2_SIZE length = sizeof out;
            int result = pcre2_substitute(code, (PCRE2_SPTR)subjects[p % 14], PCRE2_ZERO_TERMINATED, 0,
                                          PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_EXTENDED | PCRE2_SUBSTITUTE_UNSET_EMPTY, 0, 0,
                                          (PCRE2_SPTR) "<\\U$0\\E:${1:-none}>", PCRE2_ZERO_TERMINATED, out, &length);
            if (result >= 0) printf(" %d '%.*s'\n", result, (int)length, (char *)out);
            else printf(" %d\n", result);
            pcre2_code_free(code);
        }
    }
    free(data);
    return 0;
}
