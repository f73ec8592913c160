#include "check.h"

#include <stdio.h>
#include <string.h>

void check(bool holds, const char* what, const char* detail, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: rank %d: not true: %s%s\n", file, line, this_rank(), what, detail);
  give_up();
}

void check_status(sortlast_status expected, sortlast_status status, const char* message, const char* file,
                  int line) {
  char detail[2048];
  snprintf(detail, sizeof detail, "; expected %s; message: \"%s\"", sortlast_status_name(expected), message);
  check(status == expected, sortlast_status_name(status), detail, file, line);
  // A message comes with every error, and with nothing else.
  check((status == SORTLAST_OK) == (strlen(message) == 0), "message fits the status", detail, file, line);
}

void check_holds(const char* text, const char* part, const char* file, int line) {
  char detail[2048];
  snprintf(detail, sizeof detail, " in \"%s\"", text);
  check(strstr(text, part) != NULL, part, detail, file, line);
}
