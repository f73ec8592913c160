// What is printed of errors and warnings, by whom, and what is remembered of them.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static const char* printed_of_error(void) {
  begin_capture();
  icetEnable(ICET_RANK);
  return end_capture();
}

static const char* printed_of_warning(void) {
  begin_capture();
  icetPhysicalRenderSize(1, 1);  // less than the tile
  return end_capture();
}

static bool is_printed(const char* text, const char* word) {
  if (strlen(text) == 0) return false;
  char begin[32];
  snprintf(begin, sizeof begin, ":%s: ", word);
  CHECK_HOLDS(text, begin);
  CHECK(text[strlen(text) - 1] == '\n' && strchr(text, '\n') == text + strlen(text) - 1);  // one line
  return true;
}

static void check_level(IceTBitField mask, bool errors, bool warnings) {
  icetDiagnostics(mask);
  const bool here = (mask & ICET_DIAG_ALL_NODES) != 0 || world_rank() == 0;
  CHECK(is_printed(printed_of_error(), "ERROR") == (errors && here));
  CHECK_ERROR(ICET_INVALID_VALUE);  // is remembered whether printed or not
  CHECK(is_printed(printed_of_warning(), "WARNING") == (warnings && here));
  CHECK_ERROR(ICET_INVALID_VALUE);
  IceTBitField found = 0;
  icetGetBitFieldv(ICET_DIAGNOSTIC_LEVEL, &found);
  CHECK(found == mask);
}

void test_diagnostics(void) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, 8, 8, 0);
  IceTBitField level = 0;
  icetGetBitFieldv(ICET_DIAGNOSTIC_LEVEL, &level);
  CHECK(level == (ICET_DIAG_ALL_NODES | ICET_DIAG_WARNINGS));
  check_level(ICET_DIAG_OFF, false, false);
  check_level(ICET_DIAG_ERRORS, true, false);
  check_level(ICET_DIAG_WARNINGS, true, true);
  check_level(ICET_DIAG_DEBUG, true, true);
  check_level(ICET_DIAG_OFF | ICET_DIAG_ALL_NODES, false, false);
  check_level(ICET_DIAG_ERRORS | ICET_DIAG_ALL_NODES, true, false);
  check_level(ICET_DIAG_WARNINGS | ICET_DIAG_ALL_NODES, true, true);
  check_level(ICET_DIAG_FULL, true, true);

  // Where all ranks print, a line says which it is from.
  char who[32];
  snprintf(who, sizeof who, "ICET,%d:ERROR: icetEnable: ", world_rank());
  CHECK_HOLDS(printed_of_error(), who);
  CHECK_ERROR(ICET_INVALID_VALUE);
  end_context(context);
}

// An error is graver than a warning; of two the first stays; and what was told is forgotten.
void test_remembered_errors(void) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, 8, 8, 0);
  icetDiagnostics(ICET_DIAG_OFF);
  CHECK_ERROR(ICET_NO_ERROR);
  icetPhysicalRenderSize(1, 1);
  icetStrategy(1);
  icetEnable(ICET_RANK);
  CHECK_ERROR(ICET_INVALID_ENUM);
  CHECK_ERROR(ICET_NO_ERROR);
  icetEnable(ICET_RANK);
  icetPhysicalRenderSize(1, 1);
  icetStrategy(1);
  CHECK_ERROR(ICET_INVALID_VALUE);
  CHECK_ERROR(ICET_NO_ERROR);
  end_context(context);
}
