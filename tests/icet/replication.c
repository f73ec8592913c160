// Data replication groups: ranks that hold the same data share out the drawing. The picture is that of the
// data, and each of its pixels is drawn by one rank of a group.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static IceTInt global[4];
static int* drawn;  // how often this rank drew each pixel of the picture

static void count_pixels(const IceTDouble* projection, const IceTDouble* modelview,
                         const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  IceTInt window[4];
  icetGetIntegerv(ICET_RENDERED_VIEWPORT, window);
  for (int y = readback[1]; y < readback[1] + readback[3]; ++y)
    for (int x = readback[0]; x < readback[0] + readback[2]; ++x)
      ++drawn[(window[1] + y - global[1]) * global[2] + window[0] + x - global[0]];
  draw_scene(projection, modelview, background, readback, result);
}

// Check that of each group the pixels of the tiles were drawn once by all its ranks together, and no others.
static void check_coverage(const int* data, const IceTInt (*tiles)[4], int number) {
  const int n = global[2] * global[3];
  const int p = world_size();
  int* all = allocate((size_t)(n * p) * sizeof *all);
  MPI_Allgather(drawn, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) {
    int expected = 0;
    for (int t = 0; t < number; ++t) {
      const int x = global[0] + i % global[2] - tiles[t][0];
      const int y = global[1] + i / global[2] - tiles[t][1];
      if (x >= 0 && x < tiles[t][2] && y >= 0 && y < tiles[t][3]) expected = 1;
    }
    for (int group = 0; group < p; ++group) {
      int sum = 0;
      bool exists = false;
      for (int rank = 0; rank < p; ++rank) {
        if (data[rank] != group) continue;
        exists = true;
        sum += all[rank * n + i];
      }
      if (exists) CHECK(sum == expected);
    }
  }
  free(all);
}

static void check_scene(Scene scene, const int* data, const IceTInt (*tiles)[4], int number) {
  scene.data = data;
  set_scene(&scene);
  icetDrawCallback(count_pixels);
  memset(drawn, 0, (size_t)(global[2] * global[3]) * sizeof *drawn);
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(icetImageIsNull(image) == (world_rank() >= number));
  if (world_rank() < number) check_tile(&scene, image, tiles[world_rank()]);
  check_coverage(data, tiles, number);
}

// Rank r shows tile r.
static void check_groups(const int* data, const IceTInt (*tiles)[4], int number) {
  icetResetTiles();
  for (int i = 0; i < number; ++i) icetAddTile(tiles[i][0], tiles[i][1], tiles[i][2], tiles[i][3], i);
  icetGetIntegerv(ICET_GLOBAL_VIEWPORT, global);
  const int p = world_size();
  drawn = allocate((size_t)(global[2] * global[3]) * sizeof *drawn);
  for (int floating = 0; floating < 2; ++floating) {
    (floating ? icetEnable : icetDisable)(ICET_FLOATING_VIEWPORT);
    check_scene(nearest_scene(3), data, tiles, number);
    IceTInt* order = allocate((size_t)p * sizeof *order);
    for (int i = 0, next = 0; i < p; ++i)  // one group behind the other
      for (int rank = 0; rank < p; ++rank)
        if (data[rank] == p - 1 - i) order[next++] = rank;
    check_scene(blended_scene(3, order), data, tiles, number);
    free(order);
  }
  free(drawn);
}

static const IceTInt one[1][4] = {{2, 1, 23, 17}};
static const IceTInt thin[1][4] = {{0, 0, 2, 1}};  // fewer pixels than ranks
static const IceTInt three[3][4] = {{0, 0, 20, 11}, {20, 0, 7, 11}, {3, 15, 9, 9}};

static void check_displays(const int* data) {
  check_groups(data, one, 1);
  check_groups(data, thin, 1);
  if (world_size() >= 3) check_groups(data, three, 3);
  if (world_size() >= 2) check_groups(data, three, 2);
}

static void set_group_by_list(const int* data) {
  const int p = world_size();
  IceTInt* group = allocate((size_t)p * sizeof *group);
  int number = 0;
  for (int rank = p - 1; rank >= 0; --rank)
    if (data[rank] == data[world_rank()]) group[number++] = rank;
  icetDataReplicationGroup(number, group);
  CHECK_ERROR(ICET_NO_ERROR);
  IceTInt size = 0;
  icetGetIntegerv(ICET_DATA_REPLICATION_GROUP_SIZE, &size);
  CHECK(size == number);
  free(group);
}

void test_replication(void) {
  const IceTContext context = make_context();
  const int p = world_size();
  int* data = allocate((size_t)p * sizeof *data);
  for (int kind = 0; kind < 4; ++kind) {
    for (int rank = 0; rank < p; ++rank)
      data[rank] = kind == 0 ? 0 : kind == 1 ? rank / 2 : kind == 2 ? rank % 2 : rank;
    set_group_by_list(data);
    check_displays(data);
    const IceTInt alone = world_rank();
    icetDataReplicationGroup(1, &alone);
    icetDataReplicationGroupColor(data[world_rank()] - 5);
    CHECK_ERROR(ICET_NO_ERROR);
    check_displays(data);
    // The ranks of a group, in ascending order.
    IceTInt size = 0;
    icetGetIntegerv(ICET_DATA_REPLICATION_GROUP_SIZE, &size);
    IceTInt* group = allocate((size_t)p * sizeof *group);
    icetGetIntegerv(ICET_DATA_REPLICATION_GROUP, group);
    int number = 0;
    for (int rank = 0; rank < p; ++rank)
      if (data[rank] == data[world_rank()]) CHECK(group[number++] == rank);
    CHECK(number == size);
    free(group);
  }

  // A colour that one rank alone has changed, and one that stands for other groups than it did.
  icetDataReplicationGroupColor(4);
  icetDataReplicationGroupColor(is_last_rank() ? 5 : 4);
  IceTInt size = 0;
  icetGetIntegerv(ICET_DATA_REPLICATION_GROUP_SIZE, &size);
  CHECK(size == (is_last_rank() ? 1 : p - 1));
  const IceTInt alone = world_rank();
  icetDataReplicationGroup(1, &alone);
  for (int rank = 0; rank < p; ++rank) data[rank] = rank;
  check_displays(data);
  icetDataReplicationGroupColor(4);
  icetGetIntegerv(ICET_DATA_REPLICATION_GROUP_SIZE, &size);
  CHECK(size == p);
  if (is_last_rank()) icetDataReplicationGroup(1, &alone);
  icetDataReplicationGroupColor(4);
  icetGetIntegerv(ICET_DATA_REPLICATION_GROUP_SIZE, &size);
  CHECK(size == p);
  CHECK_ERROR(ICET_NO_ERROR);
  free(data);
  end_context(context);
}

void test_wrong_groups(void) {
  const IceTContext context = make_context();
  const int r = world_rank();
  icetDiagnostics(ICET_DIAG_OFF);
  const IceTInt twice[] = {r, r};
  const IceTInt strangers[] = {r, world_size()};
  const IceTInt negative[] = {-1, r};
  const IceTInt others[] = {(r + 1) % world_size()};
  icetDataReplicationGroup(2, twice);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetDataReplicationGroup(2, strangers);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetDataReplicationGroup(2, negative);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetDataReplicationGroup(1, others);
  CHECK_ERROR(world_size() > 1 ? ICET_INVALID_VALUE : ICET_NO_ERROR);
  icetDataReplicationGroup(0, twice);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetDataReplicationGroup(1, NULL);
  CHECK_ERROR(ICET_INVALID_VALUE);
  IceTInt group = -1;
  icetGetIntegerv(ICET_DATA_REPLICATION_GROUP, &group);
  CHECK(group == r);
  end_context(context);
}
