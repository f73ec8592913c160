// The tests of IceT's interface on any number of ranks: all but the slow ones, or those that are named on the
// command line.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "tests.h"

#define ROW(test) {#test, test_##test, false},
#define SLOW_ROW(test) {#test, test_##test, true},
static const struct {
  const char* name;
  void (*run)(void);
  bool is_slow;
} tests[] = {ICET_TESTS(ROW) ICET_SLOW_TESTS(SLOW_ROW)};

static bool is_named(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0) return true;
  return false;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int number = 0;
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
    if (argc < 2 ? tests[i].is_slow : !is_named(tests[i].name, argc, argv)) continue;
    tests[i].run();
    CHECK_ERROR(ICET_NO_ERROR);
    MPI_Barrier(MPI_COMM_WORLD);
    ++number;
  }
  CHECK(number > 0);
  MPI_Finalize();
  return 0;
}
