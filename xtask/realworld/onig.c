// Compiles patterns of several syntaxes and encodings, searches forwards and backwards, and whole texts.
#include "common.h"
#include "oniguruma.h"

static const char *const patterns[] = {
    "(quick|brown)\\s+(\\w+)", "(?<year>\\d{4})-(?<month>\\d\\d)", "(a+)+b", "(?i)[[:alpha:]]+ing\\b", "\\p{Lu}\\p{Ll}+", "(?<=;)[0-9a-f]{8}(?=;|$)",
    "(?<p>\\((?:[^()]++|\\g<p>)*\\))", "\\b(\\w)(\\w)\\w?\\2\\1\\b", "[a-z&&[^aeiou]]+", "(?m:a.*?z)", "(?~abc)c", "\\R", "\\X{2}", "(unclosed",
    "a{2,1}", "(?<n>x)\\k<n>", "(?:jumps|lazily|data,)(?!\\s)", "([a-z]+)(?:, \\1)+",
};

static const char *const subjects[] = {
    "the quick brown fox jumps over the lazy dog", "on 2024-02-29 and 1999-12-31", "aaaaaaaaaaaaaab", "Singing in the RAIN", "12;0123abcd;ffffffff;",
    "f(a, (b), ((c)(d)))(", "abba noon level", "\xc3\x84pfel \xc3\x96l \xe2\x82\xac 100", "one\ntwo\r\nthree\n", "so, so, so on", "xx abc",
};

static void search(regex_t *regex, const unsigned char *text, size_t length, int backwards) {
    OnigRegion *region = onig_region_new();
    uint64_t sum = 0;
    int found = 0;
    const unsigned char *end = text + length, *at = backwards ? end : text;
    while (found < 5000) {
        int result = onig_search(regex, text, end, at, backwards ? text : end, region, ONIG_OPTION_NONE);
        if (result < 0) {
            sum = sum * 31 + (uint64_t)(long)result;
            break;
        }
        found++;
        for (int i = 0; i < region->num_regs; i++) sum = (sum * 31 + (uint64_t)(long)region->beg[i]) * 31 + (uint64_t)(long)region->end[i];
        const unsigned char *next = text + (backwards ? region->beg[0] : region->end[0]);
        if (backwards) {
            if (next >= at) next = at - 1;
            if (next < text) break;
        } else {
            if (next <= at) next = at + 1;
            if (next > end) break;
        }
        at = next;
    }
    printf(" %d/%llx", found, (unsigned long long)sum);
    onig_region_free(region, 1);
}

int main(int count, char **arguments) {
    size_t size = count > 1 ? strtoul(arguments[1], 0, 10) : 10000;
    unsigned char *data = make_data(size);
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8, ONIG_ENCODING_ASCII, ONIG_ENCODING_ISO_8859_1, ONIG_ENCODING_EUC_JP};
    const OnigSyntaxType *syntaxes[] = {ONIG_SYNTAX_RUBY, ONIG_SYNTAX_PERL_NG, ONIG_SYNTAX_JAVA, ONIG_SYNTAX_POSIX_EXTENDED};
    onig_initialize(encodings, 4);
    for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        for (unsigned k = 0; k < 4; k++) {
            regex_t *regex;
            OnigErrorInfo info;
            const unsigned char *text = (const unsigned char *)patterns[p];
            int result = onig_new(&regex, text, text + strlen(patterns[p]), ONIG_OPTION_DEFAULT, encodings[k], syntaxes[k], &info);
            printf("%u %u:", p, k);
            if (result != ONIG_NORMAL) {
                unsigned char message[ONIG_MAX_ERROR_MESSAGE_LEN];
                onig_error_code_to_str(message, result, &info);
                printf(" %s\n", (char *)message);
                continue;
            }
            for (unsigned s = 0; s < sizeof subjects / sizeof *subjects; s++)
                for (int backwards = 0; backwards < 2; backwards++)
                    search(regex, (const unsigned char *)subjects[s], strlen(subjects[s]), backwards);
            if (encodings[k] != ONIG_ENCODING_UTF8) search(regex, data, size, 0);
            printf("\n");
            onig_free(regex);
        }
    }
    onig_end();
    return 0;
}
