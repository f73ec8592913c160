// The functions of a communicator, which programs call through its structure.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tests.h"

static IceTCommunicator make_communicator(void) {
  IceTCommunicator comm = icetCreateMPICommunicator(MPI_COMM_WORLD);
  CHECK(comm != ICET_COMM_NULL);
  CHECK(comm->Comm_size(comm) == world_size() && comm->Comm_rank(comm) == world_rank());
  return comm;
}

// Every rank sends to the next; the first begins.
static void check_messages(IceTCommunicator comm) {
  const int p = world_size();
  const int r = world_rank();
  const int next = (r + 1) % p;
  const int previous = (r + p - 1) % p;
  IceTDouble got[2] = {-1, -1};
  const IceTDouble sent[2] = {r, 0.5};
  if (p > 1) {
    if (r == 0) comm->Send(comm, sent, 2, ICET_DOUBLE, next, 7);
    comm->Recv(comm, got, 2, ICET_DOUBLE, previous, 7);
    if (r != 0) comm->Send(comm, sent, 2, ICET_DOUBLE, next, 7);
    CHECK(got[0] == previous && got[1] == 0.5);
  }

  IceTShort short_number = (IceTShort)(r + 100);
  IceTShort other_short = -1;
  comm->Sendrecv(comm, &short_number, 1, ICET_SHORT, next, 8, &other_short, 1, ICET_SHORT, previous, 8);
  CHECK(other_short == previous + 100);

  IceTFloat number = (IceTFloat)r;
  IceTFloat other = -1;
  IceTCommRequest receive = comm->Irecv(comm, &other, 1, ICET_FLOAT, previous, 9);
  IceTCommRequest send = comm->Isend(comm, &number, 1, ICET_FLOAT, next, 9);
  CHECK(receive != ICET_COMM_REQUEST_NULL && send != ICET_COMM_REQUEST_NULL);
  comm->Wait(comm, &receive);
  comm->Wait(comm, &send);
  CHECK(receive == ICET_COMM_REQUEST_NULL && send == ICET_COMM_REQUEST_NULL);
  CHECK(other == (IceTFloat)previous);
  comm->Wait(comm, &receive);  // nothing to wait for
}

// Waitany gives each request once, and then says that there are no more.
static void check_waitany(IceTCommunicator comm) {
  const int p = world_size();
  const int r = world_rank();
  IceTByte* got = allocate((size_t)p);
  bool* done = calloc((size_t)p, sizeof *done);
  IceTCommRequest* requests = allocate((size_t)(p + 1) * sizeof(IceTCommRequest));
  for (int i = 0; i < p; ++i) requests[i] = comm->Irecv(comm, &got[i], 1, ICET_BYTE, i, 11);
  requests[p] = ICET_COMM_REQUEST_NULL;
  comm->Barrier(comm);
  IceTByte own = (IceTByte)(r + 1);
  IceTCommRequest* sends = allocate((size_t)p * sizeof(IceTCommRequest));
  for (int i = 0; i < p; ++i) sends[i] = comm->Isend(comm, &own, 1, ICET_BYTE, i, 11);
  for (int i = 0; i < p; ++i) {
    const int index = comm->Waitany(comm, p + 1, requests);
    CHECK(index >= 0 && index < p && !done[index]);
    CHECK(requests[index] == ICET_COMM_REQUEST_NULL && got[index] == index + 1);
    done[index] = true;
  }
  CHECK(comm->Waitany(comm, p + 1, requests) < 0);
  for (int i = 0; i < p; ++i) comm->Wait(comm, &sends[i]);
  free(got);
  free(done);
  free(requests);
  free(sends);
}

static void check_collectives(IceTCommunicator comm) {
  const int p = comm->Comm_size(comm);
  const int r = comm->Comm_rank(comm);
  const int root = p - 1;
  const size_t n = 2 * (size_t)p;
  IceTInt* all = allocate(n * sizeof *all);
  const IceTInt own[2] = {r, -r};
  for (size_t i = 0; i < n; ++i) all[i] = 99;
  comm->Gather(comm, own, 2, ICET_INT, all, root);
  for (size_t i = 0; i < n && r == root; ++i) CHECK(all[i] == (IceTInt)(i / 2) * (i % 2 == 0 ? 1 : -1));
  if (r != root) CHECK(all[0] == 99);

  for (size_t i = 0; i < n; ++i) all[i] = 99;
  comm->Allgather(comm, own, 2, ICET_INT, all);
  for (size_t i = 0; i < n; ++i) CHECK(all[i] == (IceTInt)(i / 2) * (i % 2 == 0 ? 1 : -1));

  IceTInt* to = allocate((size_t)p * sizeof *to);
  for (int i = 0; i < p; ++i) to[i] = 10 * r + i;
  comm->Alltoall(comm, to, 1, ICET_INT, all);
  for (int i = 0; i < p; ++i) CHECK(all[i] == 10 * i + r);
  free(all);
  free(to);
  comm->Barrier(comm);
}

// Rank i brings i + 1 values, to places in the opposite order; once the root's lie there already.
static void check_gatherv(IceTCommunicator comm) {
  const int p = world_size();
  const int r = world_rank();
  const int n = p * (p + 1) / 2;
  IceTInt* own = allocate((size_t)p * sizeof *own);
  IceTInt* all = allocate((size_t)n * sizeof *all);
  int* counts = allocate((size_t)p * sizeof *counts);
  int* offsets = allocate((size_t)p * sizeof *offsets);
  for (int i = 0; i < p; ++i) {
    own[i] = 100 * r + i;
    counts[i] = i + 1;
    offsets[i] = n - (i + 1) * (i + 2) / 2;
  }
  for (int in_place = 0; in_place < 2; ++in_place) {
    const bool here = in_place && r == 0;
    for (int i = 0; i < n; ++i) all[i] = -1;
    if (here) all[offsets[0]] = own[0];
    comm->Gatherv(comm, here ? NULL : own, r + 1, ICET_INT, all, counts, offsets, 0);
    for (int rank = 0; rank < p && r == 0; ++rank)
      for (int i = 0; i <= rank; ++i) CHECK(all[offsets[rank] + i] == 100 * rank + i);
  }
  free(own);
  free(all);
  free(counts);
  free(offsets);
}

static void check_subset(IceTCommunicator comm) {
  const int p = world_size();
  const int r = world_rank();
  // The even ranks, the other way round.
  IceTInt32* even = allocate((size_t)p * sizeof *even);
  int count = 0;
  for (int rank = p - 1; rank >= 0; --rank)
    if (rank % 2 == 0) even[count++] = rank;
  IceTCommunicator part = comm->Subset(comm, count, even);
  CHECK((part != ICET_COMM_NULL) == (r % 2 == 0));
  if (part != ICET_COMM_NULL) {
    CHECK(part->Comm_size(part) == count && even[part->Comm_rank(part)] == r);
    check_collectives(part);
    part->Destroy(part);
  }
  free(even);
}

void test_communicator(void) {
  IceTCommunicator comm = make_communicator();
  check_messages(comm);
  check_waitany(comm);
  check_collectives(comm);
  check_gatherv(comm);
  check_subset(comm);

  // What is sent in a duplicate is not received in the communicator, and either may be destroyed first.
  IceTCommunicator copy = comm->Duplicate(comm);
  IceTInt here = -1;
  IceTInt there = -1;
  const IceTInt own[2] = {1, 2};
  IceTCommRequest receives[2] = {comm->Irecv(comm, &here, 1, ICET_INT, world_rank(), 0),
                                 copy->Irecv(copy, &there, 1, ICET_INT, world_rank(), 0)};
  IceTCommRequest sends[2] = {copy->Isend(copy, &own[1], 1, ICET_INT, world_rank(), 0),
                              comm->Isend(comm, &own[0], 1, ICET_INT, world_rank(), 0)};
  for (int i = 0; i < 2; ++i) {
    comm->Wait(comm, &receives[i]);
    comm->Wait(comm, &sends[i]);
  }
  CHECK(here == 1 && there == 2);
  comm->Destroy(comm);
  check_collectives(copy);
  icetDestroyMPICommunicator(copy);
}

// A communicator of a part of the ranks makes a context of these ranks.
void test_context_of_some_ranks(void) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half);
  IceTCommunicator comm = icetCreateMPICommunicator(half);
  int rank = -1;
  MPI_Comm_rank(half, &rank);
  MPI_Comm_free(&half);
  IceTContext context = icetCreateContext(comm);
  icetDestroyMPICommunicator(comm);
  IceTInt own[2] = {-1, -1};
  icetGetIntegerv(ICET_RANK, &own[0]);
  icetGetIntegerv(ICET_NUM_PROCESSES, &own[1]);
  CHECK(own[0] == rank && own[1] == (world_size() + (world_rank() % 2 == 0 ? 1 : 0)) / 2);
  icetDestroyContext(context);
}

void test_wrong_communicators(void) {
  CHECK(icetCreateMPICommunicator(MPI_COMM_NULL) == ICET_COMM_NULL);
  icetDestroyMPICommunicator(ICET_COMM_NULL);  // nothing to do
  CHECK_ERROR(ICET_NO_ERROR);
  begin_capture();
  CHECK(icetCreateContext(ICET_COMM_NULL) == NULL);
  CHECK_HOLDS(end_capture(), "the communicator is null");
  CHECK_ERROR(ICET_INVALID_OPERATION);

  // A program's own functions.
  IceTCommunicator comm = make_communicator();
  struct IceTCommunicatorStruct own = *comm;
  own.Duplicate = NULL;
  begin_capture();
  CHECK(icetCreateContext(&own) == NULL);
  CHECK_HOLDS(end_capture(), "a program's own");
  CHECK_ERROR(ICET_INVALID_OPERATION);
  begin_capture();
  icetDestroyMPICommunicator(&own);
  CHECK_HOLDS(end_capture(), "a program's own");
  CHECK_ERROR(ICET_INVALID_OPERATION);

  // One that has been destroyed.
  IceTCommunicator ended = make_communicator();
  icetDestroyMPICommunicator(ended);
  begin_capture();
  CHECK(icetCreateContext(ended) == NULL);
  icetDestroyMPICommunicator(ended);
  CHECK_HOLDS(end_capture(), "the communicator has been destroyed");
  CHECK_ERROR(ICET_INVALID_OPERATION);

  // No type, and no request.
  IceTInt number = 0;
  struct IceTCommRequestStruct stranger = {1, NULL};
  IceTCommRequest request = &stranger;
  begin_capture();
  comm->Wait(comm, &request);
  CHECK_HOLDS(end_capture(), "no request");
  CHECK_ERROR(ICET_INVALID_VALUE);
  MPI_Comm_set_errhandler(*(MPI_Comm*)comm->data, MPI_ERRORS_RETURN);
  begin_capture();
  comm->Allgather(comm, &number, 1, ICET_POINTER, &number);
  CHECK_HOLDS(end_capture(), "0x8008");
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetDestroyMPICommunicator(comm);
}
