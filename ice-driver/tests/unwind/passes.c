/* Functions that an exception passes through: with a frame pointer, and with saved registers. */
void throws(int);
int keep(int, char *);

int unknown_size(int n, int m) {
    char bytes[m + 10];
    int first = keep(n, bytes);
    throws(n);
    return first + keep(m, bytes);
}

int passes(int n, int m) {
    int a = keep(n, 0), c = keep(m, 0), d = keep(1, 0);
    for (int i = 0; i < m; i++)
        a += unknown_size(n, i);
    return a * c + d;
}
