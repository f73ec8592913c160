// Visibility order from all boxes at once.
#include <string.h>

#include "local/tests.h"

// Boxes side by side along x: [0, 1], [1, 2], [2, 3].
static const sortlast_box row[] = {{{0, 0, 0}, {1, 1, 1}}, {{1, 0, 0}, {2, 1, 1}}, {{2, 0, 0}, {3, 1, 1}}};

static void check_order(const sortlast_box* boxes, int32_t count, sortlast_viewpoint viewpoint,
                        const int32_t* expected) {
  sortlast_visibility* visibility = NULL;
  const sortlast_status status = sortlast_visibility_create_from_boxes(boxes, count, viewpoint, &visibility);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_visibility_message(visibility));
  for (int32_t i = 0; i < count; ++i) CHECK(sortlast_visibility_order(visibility)[i] == expected[i]);
  sortlast_visibility_free(visibility);
}

static void check_wrong(const sortlast_box* boxes, int32_t count, const char* part) {
  const sortlast_viewpoint eye = {{10, 10, 10}, false};
  sortlast_visibility* visibility = NULL;
  const sortlast_status status = sortlast_visibility_create_from_boxes(boxes, count, eye, &visibility);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_visibility_message(visibility));
  CHECK_HOLDS(sortlast_visibility_message(visibility), part);
  CHECK(sortlast_visibility_order(visibility) == NULL);
  sortlast_visibility_free(visibility);
}

void test_visibility(void) {
  check_order(row, 3, (sortlast_viewpoint){{-5, 0.5, 0.5}, false}, (const int32_t[]){0, 1, 2});
  check_order(row, 3, (sortlast_viewpoint){{9, 0.5, 0.5}, false}, (const int32_t[]){2, 1, 0});
  check_order(row, 3, (sortlast_viewpoint){{1.5, 0.5, 0.5}, false}, (const int32_t[]){1, 0, 2});
  check_order(row, 3, (sortlast_viewpoint){{1, 0, 0}, true}, (const int32_t[]){0, 1, 2});
  check_order(row, 3, (sortlast_viewpoint){{-1, 0, 0}, true}, (const int32_t[]){2, 1, 0});
  const sortlast_box first_empty[] = {{{1, 1, 1}, {0, 0, 0}}, row[0]};
  check_order(first_empty, 2, (sortlast_viewpoint){{-5, 0, 0}, false}, (const int32_t[]){1, 0});

  const sortlast_box same[] = {row[0], row[2], row[0]};
  check_wrong(same, 3, "ranks 0 and 2");
  // Beams along x, y and z: seen from the far corner each covers the next.
  const sortlast_box cycle[] = {{{0, 0, 1}, {3, 1, 2}}, {{1, 0, 0}, {2, 3, 1}}, {{0, 1, 0}, {1, 2, 3}}};
  check_wrong(cycle, 3, "covers");
  check_wrong(NULL, 3, "boxes");
  check_wrong(row, 0, "boxes");

  CHECK(sortlast_visibility_order(NULL) == NULL);
  CHECK(strcmp(sortlast_visibility_message(NULL), "") == 0);
  CHECK(sortlast_visibility_create_from_boxes(row, 3, (sortlast_viewpoint){{0}, false}, NULL) ==
        SORTLAST_ERROR_ARGUMENT);
  sortlast_visibility_free(NULL);
}
