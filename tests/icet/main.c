// The tests of IceT's interface on any number of ranks: all, or those that are named on the command line.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "tests.h"

#define ROW(test) {#test, test_##test},
static const struct {
  const char* name;
  void (*run)(void);
} tests[] = {ICET_TESTS(ROW)};

static bool is_wanted(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0) return true;
  return argc < 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int number = 0;
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
    if (!is_wanted(tests[i].name, argc, argv)) continue;
    tests[i].run();
    CHECK_ERROR(ICET_NO_ERROR);
    MPI_Barrier(MPI_COMM_WORLD);
    ++number;
  }
  CHECK(number > 0);
  MPI_Finalize();
  return 0;
}
