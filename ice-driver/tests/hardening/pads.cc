// Pads of exceptions, to which the run-time library jumps.
extern int throws(int);

__attribute__((noinline)) static int local(int x) { return throws(x) + 1; }

struct Cleanup {
    int *place;
    ~Cleanup() { *place = throws(0); }
};

int catches(int x) {
    try {
        return local(x);
    } catch (int e) {
        return e;
    }
}

int cleans_up(int x) {
    int place = x;
    {
        Cleanup c{&place};
        throws(x);
    }
    return place;
}

int without_pads(int x) { return throws(x) + throws(x + 1); }
