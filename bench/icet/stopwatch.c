// Stopwatch, to be loaded before a library with IceT's interface (LD_PRELOAD): how long compositing takes in
// a program that draws through it, whoever composites.
//
// At the end of the draw callback all ranks wait for each other, so that a rank which draws longer is not
// counted as compositing; every rank must draw. After each frame rank 0 prints "stopwatch SECONDS", of the
// rank that took longest from there to the end of the frame.
#define _GNU_SOURCE
#include <IceT.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static IceTDrawCallbackType callback;
static double drawn;

static void draw(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                 const IceTInt* readback, IceTImage result) {
  callback(projection, modelview, background, readback, result);
  MPI_Barrier(MPI_COMM_WORLD);
  drawn = MPI_Wtime();
}

void icetDrawCallback(IceTDrawCallbackType function) {
  void (*set)(IceTDrawCallbackType) = (void (*)(IceTDrawCallbackType))dlsym(RTLD_NEXT, "icetDrawCallback");
  callback = function;
  set(function == NULL ? NULL : draw);
}

IceTImage icetDrawFrame(const IceTDouble* projection, const IceTDouble* modelview,
                        const IceTFloat* background) {
  typedef IceTImage (*Draw)(const IceTDouble*, const IceTDouble*, const IceTFloat*);
  const IceTImage image = ((Draw)dlsym(RTLD_NEXT, "icetDrawFrame"))(projection, modelview, background);
  double seconds = MPI_Wtime() - drawn;
  double most = 0;
  int rank = 0;
  MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fprintf(stderr, "stopwatch %.6f\n", most);
  return image;
}
