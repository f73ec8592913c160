// Assertions of the tests in C. One that fails says where, and ends the program; main.c of each part says
// how.
#ifndef SORTLAST_TESTS_CHECK_H
#define SORTLAST_TESTS_CHECK_H

#include "sortlast.h"

#define CHECK(condition) check((condition), #condition, "", __FILE__, __LINE__)

// That a call gave `expected`; `message` is what its handle tells.
#define CHECK_STATUS(expected, status, message) \
  check_status((expected), (status), (message), __FILE__, __LINE__)

// That `text` holds `part`.
#define CHECK_HOLDS(text, part) check_holds((text), (part), __FILE__, __LINE__)

// Where this is, for messages; and the end of a test that failed. Each part has its own.
int this_rank(void);
void give_up(void);

void check(bool holds, const char* what, const char* detail, const char* file, int line);
void check_status(sortlast_status expected, sortlast_status status, const char* message, const char* file,
                  int line);
void check_holds(const char* text, const char* part, const char* file, int line);

#endif
