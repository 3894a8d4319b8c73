// What catches what: types, bases, pointers, filters, cleanups and exceptions that go on.
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>

namespace {
struct Guard {
    const char *name;
    explicit Guard(const char *name) : name(name) { std::printf("+%s\n", name); }
    ~Guard() { std::printf("-%s\n", name); }
};
struct Hidden { int value = 9; };
}

struct Base { virtual ~Base() {} virtual const char *name() const { return "base"; } };
struct Other { virtual ~Other() {} int other = 5; };
struct Derived : Base, Other { const char *name() const override { return "derived"; } };
struct Copied {
    int n;
    explicit Copied(int n) : n(n) {}
    Copied(const Copied &from) : n(from.n + 1) { std::printf("copy %d\n", n); }
    ~Copied() { std::printf("gone %d\n", n); }
};

__attribute__((noinline)) void raise_one(int n) {
    static int number = 31;
    Guard guard("raise");
    switch (n) {
    case 0: throw 42;
    case 1: throw std::runtime_error("one");
    case 2: throw Derived();
    case 3: throw &number;
    case 4: throw "text";
    case 5: throw Copied(10);
    case 6: throw Hidden();
    case 7: throw 2.5;
    case 8: throw std::bad_alloc();
    case 9: throw nullptr;
    case 10: throw std::string("string");
    case 11: throw (unsigned char) 3;
    case 12: throw static_cast<Other *>(new Derived);
    default: std::printf("nothing %d\n", n);
    }
}

__attribute__((noinline)) int middle(int n) {
    Guard outer("outer");
    try {
        Guard inner("inner");
        raise_one(n);
        return n;
    } catch (int i) {
        std::printf("int %d\n", i);
        return -1;
    } catch (const Other &other) {
        std::printf("other %d\n", other.other);
        throw;
    } catch (Copied copied) {
        std::printf("copied %d\n", copied.n);
        throw Copied(100);
    } catch (double) {
        throw 1;
    } catch (const int *p) {
        std::printf("pointer %d\n", p ? *p : 0);
        return -3;
    }
}

__attribute__((noinline)) int all(int n) {
    try {
        return middle(n);
    } catch (const std::exception &error) {
        std::printf("exception %s\n", n == 8 ? "bad_alloc" : error.what());
    } catch (const Base &base) {
        std::printf("%s %s\n", base.name(), typeid(base).name());
    } catch (const char *text) {
        std::printf("%s\n", text);
    } catch (Copied &copied) {
        std::printf("again %d\n", copied.n);
    } catch (Hidden hidden) {
        std::printf("hidden %d\n", hidden.value);
    } catch (int i) {
        std::printf("outer int %d\n", i);
    } catch (Other *other) {
        std::printf("other pointer %d\n", other->other);
        delete other;
    } catch (...) {
        std::printf("something\n");
        try {
            throw;
        } catch (std::string &text) {
            std::printf("it was %s\n", text.c_str());
        } catch (unsigned char c) {
            std::printf("it was a byte %d\n", c);
        } catch (decltype(nullptr)) {
            std::printf("it was null\n");
        }
    }
    return -100;
}

// Dynamic exception specifications: filters.
__attribute__((noinline)) void allows_int(int n) throw(int) { raise_one(n); }
__attribute__((noinline)) void allows_none(int n) throw() { raise_one(n); }
__attribute__((noinline)) void allows_bad(int n) throw(int, std::bad_exception) { raise_one(n); }

void unexpected_to_int() {
    std::printf("unexpected\n");
    throw 77;
}
void unexpected_to_other() {
    std::printf("unexpected\n");
    throw 7.0f;
}

void filters() {
    std::set_unexpected(unexpected_to_int);
    for (int n : {0, 7, 20}) {
        try {
            Guard guard("filter");
            allows_int(n);
        } catch (int i) {
            std::printf("int through the filter %d\n", i);
        }
    }
    std::set_unexpected(unexpected_to_other);
    try {
        allows_bad(7);
    } catch (std::bad_exception &) {
        std::printf("bad exception\n");
    }
    try {
        allows_bad(0);
    } catch (int i) {
        std::printf("allowed %d\n", i);
    }
}

struct Member {
    Guard guard;
    explicit Member(int n) try : guard("member") {
        raise_one(n);
    } catch (int) {
        std::printf("in the handler of the constructor\n");
    }
};

struct Array {
    static int count;
    int n;
    Array() : n(count++) {
        if (n == 3)
            throw n;
        std::printf("made %d\n", n);
    }
    ~Array() { std::printf("unmade %d\n", n); }
};
int Array::count;

struct InDestructor {
    ~InDestructor() {
        try {
            Guard guard("destructor");
            throw 5L;
        } catch (...) {
            std::printf("caught in the destructor, %d uncaught\n", std::uncaught_exception());
        }
    }
};

int main() {
    for (int n = 0; n < 14; n++)
        std::printf("== %d\n%d\n", n, all(n));
    filters();
    try {
        Member member(0);
    } catch (int i) {
        std::printf("member %d\n", i);
    }
    try {
        Array *array = new Array[6];
        std::printf("%p\n", (void *) array);
    } catch (int i) {
        std::printf("array %d\n", i);
    }
    try {
        InDestructor object;
        throw 6;
    } catch (int i) {
        std::printf("after the destructor %d\n", i);
    }
    std::set_terminate([] {
        std::printf("terminate\n");
        std::fflush(stdout);
        std::_Exit(3);
    });
    allows_none(20);
    try {
        [](int n) noexcept { raise_one(n); }(0);
    } catch (...) {
        std::printf("not here\n");
    }
    return 0;
}
