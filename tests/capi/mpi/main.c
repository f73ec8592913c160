// The compositor through the C interface, on any number of ranks.
#include "mpi/tests.h"

#include <stdlib.h>

sortlast_options* changed;

sortlast_options* default_options(void) {
  static sortlast_options options;
  options = (sortlast_options)SORTLAST_OPTIONS_INIT;
  return &options;
}

int this_rank(void) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  return initialised ? world_rank() : 0;
}

void give_up(void) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised) MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

int world_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size(void) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

bool is_last_rank(void) { return world_rank() == world_size() - 1; }

int main(int argc, char** argv) {
  test_before_init();
  MPI_Init(&argc, &argv);
  test_frames();
  test_box_images();
  test_box_images_of_a_known_root();
  test_channels();
  test_devices();
  test_fragments();
  test_shrink();
  test_travel();
  test_observation();
  test_machines();
  test_visibility_order();
  test_visibility_positions();
  test_late_ranks();
  test_wrong_creation();
  test_wrong_frames();
  test_wrong_gather();
  test_missing_ranks();
  MPI_Finalize();
  return 0;
}
