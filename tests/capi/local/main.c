// What the C interface offers without MPI.
#include "local/tests.h"

int main(void) {
  test_schedules();
  test_wrong_schedules();
  test_oracle();
  test_wrong_images();
  test_visibility();
  test_without_mpi();
  return 0;
}
