// Measuring a machine, and compositors that choose by what was measured.
#define _POSIX_C_SOURCE 200809L  // NOLINT(bugprone-reserved-identifier): for setenv and mkdtemp

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/tests.h"

typedef struct Progress {
  int32_t calls, done, total;
} Progress;

static void count(void* user, int32_t done, int32_t total) {
  *(Progress*)user = (Progress){((Progress*)user)->calls + 1, done, total};
}

static int end_now(void* user) {
  (void)user;
  return 1;
}

static sortlast_report* measure(void) {
  Progress progress = {0, 0, 0};
  sortlast_tune_options options = SORTLAST_TUNE_OPTIONS_INIT;
  options.seconds = 0.1;
  options.progress = count;
  options.user = &progress;
  sortlast_report* report = NULL;
  const sortlast_status status = sortlast_machine_measure(MPI_COMM_WORLD, &options, &report);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_report_message(report));
  CHECK(progress.calls == progress.total + 1 && progress.done == progress.total && progress.total >= 3);
  return report;
}

// By what a compositor says that it chose, with `options`.
static void check_source(const sortlast_options* options, const char* source) {
  const float pixel[4] = {0};
  const sortlast_image image = {pixel, NULL, 1, 1, {SORTLAST_FLOAT32, 4, false}, NULL};
  sortlast_compositor* compositor = NULL;
  sortlast_tile* tile = NULL;
  sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, options, &compositor);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  status = sortlast_compositor_composite(compositor, &image, NULL, &tile);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_explain(compositor), source);
  sortlast_tile_free(tile);
  sortlast_compositor_free(compositor);
}

static void check_wrong(sortlast_tune_options options, const char* part) {
  sortlast_report* report = NULL;
  const sortlast_status status = sortlast_machine_measure(MPI_COMM_WORLD, &options, &report);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_report_message(report));
  CHECK_HOLDS(sortlast_report_message(report), part);
  sortlast_machine machine = SORTLAST_MACHINE_INIT;
  CHECK(sortlast_report_machine(report, &machine, NULL, NULL) == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_report_message(report), "nothing was measured");
  CHECK(!sortlast_report_measured(report, "copy"));
  sortlast_report_free(report);
}

void test_machines(void) {
  sortlast_report* report = measure();
  sortlast_machine machine = SORTLAST_MACHINE_INIT;
  sortlast_machine low = SORTLAST_MACHINE_INIT;
  sortlast_machine high = SORTLAST_MACHINE_INIT;
  sortlast_status status = sortlast_report_machine(report, &machine, &low, &high);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_report_message(report));
  CHECK(low.copy > 0 && low.copy <= machine.copy && machine.copy <= high.copy);
  CHECK(machine.cores >= 1 && machine.ranks == world_size());
  CHECK(sortlast_report_measured(report, "copy") && !sortlast_report_measured(report, "alpha"));
  CHECK(!sortlast_report_measured(report, "no-such") && !sortlast_report_measured(report, NULL));
  sortlast_machine unsized = {0};
  CHECK(sortlast_report_machine(report, NULL, &unsized, NULL) == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_report_message(report), "begin with SORTLAST_MACHINE_INIT");

  // In a file, and in the kept one.
  char folder[] = "/tmp/sortlast-capi-XXXXXX";
  char path[64];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/profile.json", folder);
  setenv("XDG_CACHE_HOME", folder, 1);
  unsetenv("SORTLAST_PROFILE");
  status = sortlast_report_save(report, path);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_report_message(report));
  check_source(WITH(profile, path), "profile.json, taking");
  check_source(NULL, "the defaults");
  const char* kept = NULL;
  status = sortlast_report_keep(report, &kept);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_report_message(report));
  CHECK(strncmp(kept, folder, strlen(folder)) == 0);
  check_source(NULL, "(sortlast tune --keep)");
  CHECK(remove(kept) == 0 && remove(path) == 0);
  CHECK(sortlast_report_save(report, "/nowhere/profile.json") == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_report_message(report), "/nowhere/profile.json");
  CHECK(sortlast_report_save(report, NULL) == SORTLAST_ERROR_ARGUMENT);
  strcat(strcpy(path, folder), "/sortlast");
  CHECK(rmdir(path) == 0 && rmdir(folder) == 0);
  unsetenv("XDG_CACHE_HOME");
  sortlast_report_free(report);

  // Wrong options, and an interrupt.
  sortlast_tune_options options = SORTLAST_TUNE_OPTIONS_INIT;
  options.seconds = 0;
  check_wrong(options, "seconds is 0");
  options.size = 0;
  check_wrong(options, "size of sortlast_tune_options is 0");
  options = (sortlast_tune_options)SORTLAST_TUNE_OPTIONS_INIT;
  options.interrupt = end_now;
  status = sortlast_machine_measure(MPI_COMM_WORLD, &options, &report);
  // Whoever was told to end tells the others, of whom some then have not asked yet.
  int ended = status == SORTLAST_ERROR_INTERRUPT;
  if (!ended) CHECK_STATUS(SORTLAST_ERROR_REMOTE, status, sortlast_report_message(report));
  CHECK_HOLDS(sortlast_report_message(report), "the interrupt callback ended the call");
  MPI_Allreduce(MPI_IN_PLACE, &ended, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  CHECK(ended);
  sortlast_report_free(report);
  CHECK(sortlast_report_save(NULL, path) == SORTLAST_ERROR_ARGUMENT);
  CHECK(strcmp(sortlast_report_message(NULL), "") == 0);
  sortlast_report_free(NULL);
  MPI_Barrier(MPI_COMM_WORLD);
}
