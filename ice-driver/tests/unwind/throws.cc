// Throws through functions of C, and catches.
#include <cstdio>
#include <stdexcept>

struct Guard {
    int number;
    ~Guard() { std::printf("~%d\n", number); }
};

extern "C" {
int passes(int, int);

void throws(int n) {
    Guard guard{n};
    if (n == 3)
        throw std::runtime_error("three");
}

int keep(int n, char *bytes) {
    if (bytes)
        bytes[0] = n;
    return n + 1;
}
}

int main() {
    for (int n = 2; n < 4; n++) {
        try {
            Guard guard{100};
            std::printf("%d\n", passes(n, 2));
        } catch (std::exception &error) {
            std::printf("caught %s\n", error.what());
        }
    }
}
