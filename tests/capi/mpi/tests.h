// The tests of the compositor. All ranks of MPI_COMM_WORLD call each, and all end if something does not hold.
#ifndef SORTLAST_TESTS_MPI_H
#define SORTLAST_TESTS_MPI_H

#include "check.h"
#include "sortlast_mpi.h"

// Structures of options in which members are named: what is not has to be zero, unlike in the initialisers.
#define SIZED_COMPOSITION .size = sizeof(sortlast_composition), .premultiplied = true

// Options with one member set, or two, until the next of these; the rest are defaults.
sortlast_options* default_options(void);
#define CHANGE(name, value) changed = default_options(), changed->name = (value)
#define WITH(name, value) (CHANGE(name, value), changed)
#define WITH_2(name, value, other, second) (CHANGE(name, value), changed->other = (second), changed)
extern sortlast_options* changed;

// This rank and the number of ranks.
int world_rank(void);
int world_size(void);
bool is_last_rank(void);

// A rank's image of width x height pixels, the same on every rank that asks. The pixels are the caller's,
// to be given back with free_image().
sortlast_image make_image(int rank, int64_t width, int64_t height, sortlast_format format);
void free_image(sortlast_image image);

void test_before_init(void);
void test_box_images(void);
void test_box_images_of_a_known_root(void);
void test_channels(void);
void test_devices(void);
void test_frames(void);
void test_fragments(void);
void test_late_ranks(void);
void test_observation(void);
void test_machines(void);
void test_shrink(void);
void test_travel(void);
void test_visibility_order(void);
void test_visibility_positions(void);
void test_wrong_creation(void);
void test_wrong_frames(void);
void test_wrong_gather(void);
void test_missing_ranks(void);

#endif
