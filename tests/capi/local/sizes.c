// Structures of other versions, told by their sizes, and statuses.
#include <stddef.h>
#include <string.h>

#include "local/tests.h"

static void check_size(const void* composition, sortlast_status expected, const char* part) {
  const float pixel[4] = {0};
  const sortlast_image image = {pixel, NULL, 1, 1, {SORTLAST_FLOAT32, 4, false}, NULL};
  sortlast_frame* frame = NULL;
  const sortlast_status status = sortlast_composite_serial(&image, 1, composition, &frame);
  CHECK_STATUS(expected, status, sortlast_frame_message(frame));
  CHECK_HOLDS(sortlast_frame_message(frame), part);
  sortlast_frame_free(frame);
}

void test_sizes(void) {
  // That of a structure which was not begun with its initialiser, of a smaller one, and of none.
  sortlast_composition composition = SORTLAST_COMPOSITION_INIT;
  CHECK(composition.size == sizeof composition && composition.op == SORTLAST_OVER);
  check_size(&composition, SORTLAST_OK, "");
  composition.size = 0;
  check_size(&composition, SORTLAST_ERROR_ARGUMENT, "size of sortlast_composition is 0");
  check_size(&composition, SORTLAST_ERROR_ARGUMENT, "begin with SORTLAST_COMPOSITION_INIT");
  composition.size = offsetof(sortlast_composition, root) - 1;  // the first version's, less a byte
  check_size(&composition, SORTLAST_ERROR_ARGUMENT, "size of sortlast_composition is");
  composition.size = (size_t)-1;
  check_size(&composition, SORTLAST_ERROR_ARGUMENT, "size of sortlast_composition is");

  // An earlier version's may be passed.
  composition.size = offsetof(sortlast_composition, root);
  check_size(&composition, SORTLAST_OK, "");

  // A later version's may be passed as long as it asks for nothing new.
  struct {
    sortlast_composition known;
    int32_t later[4];
  } larger = {SORTLAST_COMPOSITION_INIT, {0}};
  larger.known.size = sizeof larger;
  check_size(&larger, SORTLAST_OK, "");
  larger.later[3] = 1;
  check_size(&larger, SORTLAST_ERROR_ARGUMENT, "the others are not zero");
  larger.known.size = sizeof larger.known;
  check_size(&larger, SORTLAST_OK, "");

  sortlast_setting setting = SORTLAST_SETTING_INIT;
  setting.size = 8;
  sortlast_schedule* schedule = NULL;
  const sortlast_status status = sortlast_schedule_create("shift", &setting, &schedule);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_schedule_message(schedule));
  CHECK_HOLDS(sortlast_schedule_message(schedule), "begin with SORTLAST_SETTING_INIT");
  sortlast_schedule_free(schedule);

  // A status of a later version.
  CHECK(strcmp(sortlast_status_name((sortlast_status)10), "unknown") == 0);
}
