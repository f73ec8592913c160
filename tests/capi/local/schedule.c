// Schedules as values.
#include <stdio.h>
#include <string.h>

#include "local/tests.h"

#define SIZED_SETTING .size = sizeof(sortlast_setting)

static void check_schedule(const char* algorithm, const sortlast_setting* setting) {
  sortlast_schedule* schedule = NULL;
  sortlast_status status = sortlast_schedule_create(algorithm, setting, &schedule);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_schedule_message(schedule));
  CHECK(strncmp(sortlast_schedule_name(schedule), algorithm, strlen(algorithm)) == 0);
  status = sortlast_schedule_verify(schedule);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_schedule_message(schedule));

  // The pieces of all ranks partition the pixels.
  int64_t total = 0;
  for (int32_t rank = 0; rank < setting->p; ++rank) {
    sortlast_range piece = {-1, -1};
    status = sortlast_schedule_piece(schedule, rank, &piece);
    CHECK_STATUS(SORTLAST_OK, status, sortlast_schedule_message(schedule));
    CHECK(piece.begin >= 0 && piece.begin <= piece.end && piece.end <= setting->n);
    total += piece.end - piece.begin;
  }
  CHECK(total == setting->n);

  // Transfers come by stage, between ranks, within the image.
  const sortlast_transfer* transfers = NULL;
  int64_t count = -1;
  status = sortlast_schedule_transfers(schedule, &transfers, &count);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_schedule_message(schedule));
  CHECK(count >= setting->p - 1);
  for (int64_t i = 0; i < count; ++i) {
    const sortlast_transfer one = transfers[i];
    CHECK(one.stage >= (i == 0 ? 1 : transfers[i - 1].stage));
    CHECK(one.stage <= sortlast_schedule_stages(schedule));
    CHECK(one.source >= 0 && one.source < setting->p && one.destination >= 0);
    CHECK(one.destination < setting->p && one.destination != one.source);
    CHECK(one.pixels.begin >= 0 && one.pixels.end <= setting->n && one.depth.begin < one.depth.end);
  }

  // The same as JSON; both stay where they are.
  const char* json = NULL;
  status = sortlast_schedule_json(schedule, &json);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_schedule_message(schedule));
  char head[64];
  snprintf(head, sizeof head, "{\"algorithm\": \"%s\", \"p\": %d", sortlast_schedule_name(schedule),
           (int)setting->p);
  CHECK(strncmp(json, head, strlen(head)) == 0);
  CHECK_HOLDS(json, "\"sends\"");
  const char* again = NULL;
  CHECK(sortlast_schedule_json(schedule, &again) == SORTLAST_OK && again == json);
  sortlast_schedule_free(schedule);
}

void test_schedules(void) {
  const int32_t order[] = {3, 0, 5, 1, 4, 2};
  const int32_t ring[] = {5, 4, 3, 2, 1, 0};
  int32_t count = 0;
  for (const char* usage; (usage = sortlast_algorithm_usage(count)) != NULL; ++count) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(usage, "["), usage);
    check_schedule(name, &(sortlast_setting){SIZED_SETTING, .p = 1, .n = 100});
    check_schedule(name, &(sortlast_setting){SIZED_SETTING, .p = 6, .n = 100, .order = order, .ring = ring});
    check_schedule(name, &(sortlast_setting){SIZED_SETTING, .p = 6, .n = 4, .ring = ring, .commutes = true});
  }
  CHECK(count >= 7);
  CHECK(sortlast_algorithm_usage(-1) == NULL);
  check_schedule("radix-k:3,2", &(sortlast_setting){SIZED_SETTING, .p = 6, .n = 100, .order = order});

  sortlast_schedule* schedule = NULL;
  CHECK(sortlast_schedule_create(NULL, &(sortlast_setting){SIZED_SETTING, .p = 6, .n = 100}, &schedule) ==
        SORTLAST_OK);
  CHECK(strlen(sortlast_schedule_name(schedule)) > 0);  // of what "auto" chose
  sortlast_schedule_free(schedule);
}

static void check_wrong(const char* algorithm, const sortlast_setting* setting, const char* part) {
  sortlast_schedule* schedule = NULL;
  const sortlast_status status = sortlast_schedule_create(algorithm, setting, &schedule);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_schedule_message(schedule));
  CHECK_HOLDS(sortlast_schedule_message(schedule), part);

  // The handle holds the message and nothing else, and says so.
  CHECK(strcmp(sortlast_schedule_name(schedule), "") == 0 && sortlast_schedule_stages(schedule) == 0);
  const char* json = "";
  CHECK(sortlast_schedule_json(schedule, &json) == SORTLAST_ERROR_ARGUMENT && json == NULL);
  CHECK_HOLDS(sortlast_schedule_message(schedule), "was not made");
  CHECK(sortlast_schedule_verify(schedule) == SORTLAST_ERROR_ARGUMENT);
  sortlast_schedule_free(schedule);
}

void test_wrong_schedules(void) {
  const int32_t twice[] = {0, 1, 1, 2};
  check_wrong("quick-swap", &(sortlast_setting){SIZED_SETTING, .p = 4, .n = 9}, "direct-send");
  check_wrong("radix-k:3,3", &(sortlast_setting){SIZED_SETTING, .p = 4, .n = 9}, "radix-k");
  check_wrong("shift", &(sortlast_setting){SIZED_SETTING, .p = 0, .n = 9}, "p = 0");
  check_wrong("shift", &(sortlast_setting){SIZED_SETTING, .p = -1, .n = 9, .order = twice}, "p = -1");
  check_wrong("shift", &(sortlast_setting){SIZED_SETTING, .p = 4, .n = -1}, "n = -1");
  check_wrong("shift", &(sortlast_setting){SIZED_SETTING, .p = 4, .n = 9, .order = twice}, "order");
  check_wrong("shift", &(sortlast_setting){SIZED_SETTING, .p = 4, .n = 9, .ring = twice}, "ring");
  check_wrong("shift", NULL, "setting");

  sortlast_schedule* schedule = NULL;
  CHECK(sortlast_schedule_create("shift", &(sortlast_setting){SIZED_SETTING, .p = 4, .n = 9}, &schedule) ==
        SORTLAST_OK);
  sortlast_range piece;
  sortlast_status status = sortlast_schedule_piece(schedule, 4, &piece);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_schedule_message(schedule));
  CHECK_HOLDS(sortlast_schedule_message(schedule), "4");
  CHECK(sortlast_schedule_piece(schedule, 0, NULL) == SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_schedule_transfers(schedule, NULL, NULL) == SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_schedule_json(schedule, NULL) == SORTLAST_ERROR_ARGUMENT);
  status = sortlast_schedule_verify(schedule);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_schedule_message(schedule));  // and the message is gone
  sortlast_schedule_free(schedule);

  CHECK(sortlast_schedule_create("shift", &(sortlast_setting){SIZED_SETTING, .p = 4}, NULL) ==
        SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_schedule_verify(NULL) == SORTLAST_ERROR_ARGUMENT);
  CHECK(strcmp(sortlast_schedule_message(NULL), "") == 0);
  sortlast_schedule_free(NULL);
}
