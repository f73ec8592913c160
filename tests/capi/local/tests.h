// The tests that need no MPI; each ends the program if something does not hold.
#ifndef SORTLAST_TESTS_LOCAL_H
#define SORTLAST_TESTS_LOCAL_H

#include "check.h"

void test_schedules(void);
void test_wrong_schedules(void);
void test_oracle(void);
void test_wrong_images(void);
void test_visibility(void);
void test_sizes(void);

#endif
