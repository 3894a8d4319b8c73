/* binary-trees of the Computer Language Benchmarks Game: allocate, walk and free perfect binary trees. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    long item;
};

static struct node *make(long item, unsigned depth) {
    struct node *node = malloc(sizeof *node);
    node->item = item;
    node->left = depth ? make(2 * item - 1, depth - 1) : NULL;
    node->right = depth ? make(2 * item, depth - 1) : NULL;
    return node;
}

static long check(const struct node *node) {
    return node->left ? node->item + check(node->left) - check(node->right) : node->item;
}

static void release(struct node *node) {
    if (node->left) {
        release(node->left);
        release(node->right);
    }
    free(node);
}

static long check_and_release(struct node *node) {
    long sum = check(node);
    release(node);
    return sum;
}

int main(int argc, char **argv) {
    unsigned n = argc > 1 ? atoi(argv[1]) : 10, least = 4, most = n < least + 2 ? least + 2 : n;
    printf("stretch tree of depth %u\t check: %li\n", most + 1, check_and_release(make(0, most + 1)));
    struct node *lasting = make(0, most);
    for (unsigned depth = least; depth <= most; depth += 2) {
        long rounds = 1L << (most - depth + least), sum = 0;
        for (long i = 1; i <= rounds; i++) {
            sum += check_and_release(make(i, depth));
            sum += check_and_release(make(-i, depth));
        }
        printf("%li\t trees of depth %u\t check: %li\n", rounds * 2, depth, sum);
    }
    printf("long lived tree of depth %u\t check: %li\n", most, check_and_release(lasting));
    return 0;
}
