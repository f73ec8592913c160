// The calls that need MPI, before it is there.
#include "mpi/tests.h"

void test_before_init(void) {
  const int32_t ring[] = {0};
  sortlast_options options = SORTLAST_OPTIONS_INIT;
  options.ring = ring;
  sortlast_compositor* compositor = NULL;
  sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, &options, &compositor);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), "MPI_Init");
  sortlast_compositor_free(compositor);

  sortlast_visibility* visibility = NULL;
  const sortlast_box box = {{0, 0, 0}, {1, 1, 1}};
  const sortlast_viewpoint eye = {{0}, false};
  status = sortlast_visibility_create(MPI_COMM_WORLD, &box, eye, 60, &visibility);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_visibility_message(visibility));
  CHECK_HOLDS(sortlast_visibility_message(visibility), "MPI_Init");
  sortlast_visibility_free(visibility);

  sortlast_report* report = NULL;
  status = sortlast_machine_measure(MPI_COMM_WORLD, NULL, &report);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_report_message(report));
  CHECK_HOLDS(sortlast_report_message(report), "MPI_Init");
  sortlast_report_free(report);
}
