// The tests of the compositor. All ranks of MPI_COMM_WORLD call each, and all end if something does not hold.
#ifndef SORTLAST_TESTS_MPI_H
#define SORTLAST_TESTS_MPI_H

#include "check.h"

// This rank and the number of ranks.
int world_rank(void);
int world_size(void);
bool is_last_rank(void);

// A rank's image of width x height pixels, the same on every rank that asks. The pixels are the caller's,
// to be given back with free_image().
sortlast_image make_image(int rank, int64_t width, int64_t height, sortlast_format format);
void free_image(sortlast_image image);

void test_frames(void);
void test_travel(void);
void test_visibility_order(void);
void test_wrong_creation(void);
void test_wrong_frames(void);
void test_wrong_gather(void);
void test_missing_ranks(void);

#endif
