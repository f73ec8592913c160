// Assertions of the tests of IceT's interface, the ranks that run them, and what these print. An assertion
// that fails says where and ends the program on all ranks.
#ifndef SORTLAST_TESTS_ICET_CHECK_H
#define SORTLAST_TESTS_ICET_CHECK_H

#include <stdbool.h>

#include "IceTMPI.h"

#define CHECK(condition) check((condition), #condition, "", __FILE__, __LINE__)

// That the gravest error since this was last asked is `code`; ICET_NO_ERROR: that there was none.
#define CHECK_ERROR(code) check_error((code), #code, __FILE__, __LINE__)

// That `text` holds `part`.
#define CHECK_HOLDS(text, part) check_holds((text), (part), __FILE__, __LINE__)

int world_rank(void);
int world_size(void);
bool is_last_rank(void);

void check(bool holds, const char* what, const char* detail, const char* file, int line);
void check_error(IceTEnum code, const char* name, const char* file, int line);
void check_holds(const char* text, const char* part, const char* file, int line);

// What this rank prints on standard error from begin_capture() to end_capture(), which returns it, is kept
// from there. The text is valid until the next capture.
void begin_capture(void);
const char* end_capture(void);

// Memory of that many bytes, or the end of the test.
void* allocate(size_t bytes);

// Let this rank have no more than `megabytes` of memory beside what it has, until end_limit().
void limit_memory(size_t megabytes);
void end_limit(void);

#endif
