/* The addresses of blocks are those of code: tables and distances of all widths agree, and lead where they should. */
#include <stdint.h>
#include <stdio.h>

extern char *table[4], *dead;
extern const int32_t words[4];
extern const int16_t halves[4];
extern const int64_t wide;
char *from_elsewhere(int);
int run(const unsigned char *, int, int *);

int main(void) {
  static const unsigned char program[] = {1, 2, 2, 3, 1, 3, 3, 0};
  int cell = 7, result = run(program, 5, &cell);
  if (result != 22 || cell != 0)
    return printf("run gives %d\n", result), 1;
  for (int i = 0; i < 4; i++) {
    if (words[i] != table[i] - table[0] || halves[i] != words[i] + (i == 3 ? 7 : 0))
      return printf("distance %d is %d\n", i, words[i]), 1;
    for (int j = 0; j < i; j++)
      if (table[i] == table[j])
        return printf("blocks %d and %d are one\n", i, j), 1;
    /* All are code of the function. */
    if ((uintptr_t)table[i] - (uintptr_t)run > 4096)
      return printf("block %d is at %p\n", i, (void *)table[i]), 1;
  }
  if (wide != table[3] - table[1] - 5)
    return printf("the wide distance is %lld\n", (long long)wide), 1;
  if (from_elsewhere(1) != table[1] || from_elsewhere(0) != table[0])
    return printf("another function has other addresses\n"), 1;
  if (!dead || dead == table[0] || dead == table[1] || dead == table[2] || dead == table[3])
    return printf("a block that is never reached is at %p\n", (void *)dead), 1;
  return 0;
}
