// The serial oracle, against values worked out by hand.
#include <string.h>

#include "local/tests.h"

#define SIZED_COMPOSITION .size = sizeof(sortlast_composition), .premultiplied = true
#define FLOAT_RGBA {SORTLAST_FLOAT32, 4, false}

void test_oracle(void) {
  const float red[2][4] = {{0.5F, 0, 0, 0.5F}, {0, 0, 0, 0}};
  const float blue[2][4] = {{0, 0, 1, 1}, {0, 0, 0.25F, 0.25F}};
  const sortlast_image images[] = {{red, NULL, 2, 1, FLOAT_RGBA, NULL},
                                   {NULL, NULL, 2, 1, FLOAT_RGBA, NULL},  // takes no part
                                   {blue, NULL, 2, 1, FLOAT_RGBA, NULL}};
  const float background[] = {1, 1, 1, 1};
  const int32_t blue_first[] = {2, 1, 0};

  // Red over blue, by default.
  sortlast_frame* frame = NULL;
  sortlast_status status = sortlast_composite_serial(images, 3, NULL, &frame);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_frame_message(frame));
  sortlast_image whole = sortlast_frame_image(frame);
  CHECK(whole.width == 2 && whole.height == 1 && whole.depth == NULL);
  CHECK(whole.format.scalar == SORTLAST_FLOAT32 && whole.format.channels == 4 && !whole.format.depth);
  const float red_first[2][4] = {{0.5F, 0, 0.5F, 1}, {0, 0, 0.25F, 0.25F}};
  CHECK(memcmp(whole.colour, red_first, sizeof red_first) == 0);
  sortlast_frame_free(frame);

  // Blue over red, over white.
  const sortlast_composition composition = {
      sizeof(sortlast_composition), SORTLAST_OVER, blue_first, background, true, {NULL, NULL}, NULL, 0, NULL};
  CHECK(sortlast_composite_serial(images, 3, &composition, &frame) == SORTLAST_OK);
  const float on_white[2][4] = {{0, 0, 1, 1}, {0.75F, 0.75F, 1, 1}};
  CHECK(memcmp(sortlast_frame_image(frame).colour, on_white, sizeof on_white) == 0);
  sortlast_frame_free(frame);

  // The closest of two bytes-images, whose frame can be an image again.
  const uint8_t near_colour[] = {1, 2, 3};
  const uint8_t far_colour[] = {4, 5, 6};
  const float near_depth = 1;
  const float far_depth = 2;
  const sortlast_format rgb = {SORTLAST_UINT8, 3, true};
  const sortlast_image points[] = {{far_colour, &far_depth, 1, 1, rgb, NULL},
                                   {near_colour, &near_depth, 1, 1, rgb, NULL}};
  const sortlast_composition closest = {SIZED_COMPOSITION, .op = SORTLAST_CLOSEST};
  CHECK(sortlast_composite_serial(points, 2, &closest, &frame) == SORTLAST_OK);
  whole = sortlast_frame_image(frame);
  CHECK(memcmp(whole.colour, near_colour, 3) == 0 && *whole.depth == near_depth && whole.format.depth);
  sortlast_frame* again = NULL;
  CHECK(sortlast_composite_serial(&whole, 1, &closest, &again) == SORTLAST_OK);
  CHECK(memcmp(sortlast_frame_image(again).colour, near_colour, 3) == 0);
  sortlast_frame_free(again);
  sortlast_frame_free(frame);
}

static void check_wrong(const sortlast_image* images, int32_t count, const sortlast_composition* composition,
                        sortlast_status expected, const char* part) {
  sortlast_frame* frame = NULL;
  const sortlast_status status = sortlast_composite_serial(images, count, composition, &frame);
  CHECK_STATUS(expected, status, sortlast_frame_message(frame));
  CHECK_HOLDS(sortlast_frame_message(frame), part);
  const sortlast_image whole = sortlast_frame_image(frame);
  CHECK(whole.colour == NULL && whole.width == 0 && whole.height == 0);
  sortlast_frame_free(frame);
}

void test_wrong_images(void) {
  const float pixel[4] = {0};
  const sortlast_image one = {pixel, NULL, 1, 1, FLOAT_RGBA, NULL};
  sortlast_image two[] = {one, one};
  check_wrong(NULL, 1, NULL, SORTLAST_ERROR_ARGUMENT, "images");
  check_wrong(two, 0, NULL, SORTLAST_ERROR_ARGUMENT, "images");

  two[1].width = 0;
  check_wrong(two, 2, NULL, SORTLAST_ERROR_ARGUMENT, "image 1 is 0x1");
  two[1] = one;
  two[1].format.channels = 3;
  check_wrong(two, 2, NULL, SORTLAST_ERROR_ARGUMENT, "image 1 is RGB float32");
  two[1].format.scalar = 3;
  check_wrong(two, 2, NULL, SORTLAST_ERROR_ARGUMENT, "number 3");
  two[1] = one;
  const int32_t twice[] = {1, 1};
  check_wrong(two, 2, &(sortlast_composition){SIZED_COMPOSITION, .order = twice}, SORTLAST_ERROR_ARGUMENT,
              "order");
  check_wrong(two, 2, &(sortlast_composition){SIZED_COMPOSITION, .op = 99}, SORTLAST_ERROR_ARGUMENT, "99");
  check_wrong(two, 2, &(sortlast_composition){SIZED_COMPOSITION, .op = -1}, SORTLAST_ERROR_ARGUMENT, "-1");
  check_wrong(two, 2, &(sortlast_composition){SIZED_COMPOSITION, .op = SORTLAST_CLOSEST},
              SORTLAST_ERROR_ARGUMENT, "depth");
  sortlast_image unset = {0};
  check_wrong(&unset, 1, NULL, SORTLAST_ERROR_ARGUMENT, "channels");
  sortlast_image negative = {pixel, NULL, -1, 1, FLOAT_RGBA, NULL};
  check_wrong(&negative, 1, NULL, SORTLAST_ERROR_ARGUMENT, "size");

#ifndef __SANITIZE_ADDRESS__  // which ends the program instead
  sortlast_image huge = {NULL, NULL, INT64_C(1) << 28, INT64_C(1) << 28, FLOAT_RGBA, NULL};
  check_wrong(&huge, 1, NULL, SORTLAST_ERROR_MEMORY, "memory");
#endif

  CHECK(sortlast_composite_serial(&one, 1, NULL, NULL) == SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_frame_image(NULL).colour == NULL);
  CHECK(strcmp(sortlast_frame_message(NULL), "") == 0);
  sortlast_frame_free(NULL);
}
