#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static FILE* captured = NULL;
static int standard_error = -1;  // where it went before
static char text_of_capture[1 << 16];

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

void check(bool holds, const char* what, const char* detail, const char* file, int line) {
  if (holds) return;
  if (captured != NULL) fputs(end_capture(), stderr);
  fprintf(stderr, "%s:%d: rank %d: not true: %s%s\n", file, line, world_rank(), what, detail);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  _Exit(1);
}

void check_error(IceTEnum code, const char* name, const char* file, int line) {
  char detail[64];
  const IceTEnum found = icetGetError();
  snprintf(detail, sizeof detail, " is the error; found 0x%X", found);
  check(found == code, name, detail, file, line);
}

void check_holds(const char* text, const char* part, const char* file, int line) {
  char detail[4096];
  snprintf(detail, sizeof detail, " in \"%s\"", text);
  check(strstr(text, part) != NULL, part, detail, file, line);
}

void begin_capture(void) {
  CHECK(captured == NULL);
  fflush(stderr);
  FILE* file = tmpfile();
  CHECK(file != NULL);
  standard_error = dup(STDERR_FILENO);
  CHECK(standard_error >= 0 && dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
  captured = file;
}

const char* end_capture(void) {
  fflush(stderr);
  dup2(standard_error, STDERR_FILENO);
  close(standard_error);
  FILE* file = captured;
  captured = NULL;
  fseek(file, 0, SEEK_SET);
  text_of_capture[fread(text_of_capture, 1, sizeof text_of_capture - 1, file)] = '\0';
  fclose(file);
  return text_of_capture;
}

void* allocate(size_t bytes) {
  void* memory = malloc(bytes > 0 ? bytes : 1);
  CHECK(memory != NULL);
  return memory;
}

static struct rlimit limit_before;

void limit_memory(size_t megabytes) {
  CHECK(getrlimit(RLIMIT_AS, &limit_before) == 0);
  FILE* file = fopen("/proc/self/statm", "r");
  char line[128] = "";
  CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
  fclose(file);
  const long pages = strtol(line, NULL, 10);
  CHECK(pages > 0);
  const struct rlimit small = {(rlim_t)pages * 4096 + ((rlim_t)megabytes << 20), limit_before.rlim_max};
  CHECK(setrlimit(RLIMIT_AS, &small) == 0);
}

void end_limit(void) { CHECK(setrlimit(RLIMIT_AS, &limit_before) == 0); }
