// sortlast_mpi.h: the C interface of sortlast over MPI: the compositor, the visibility order from each rank's
// own box, and the measurement of a machine. The rules of sortlast.h for handles, errors and structures
// apply.
#ifndef SORTLAST_MPI_H
#define SORTLAST_MPI_H

#include <mpi.h>

#include "sortlast.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)  // shared libraries export only these declarations
#endif

// ---- Machines --------------------------------------------------------------------------------------

// The figures of a machine, from which times are predicted. Times apply to one rank with a core of its own.
typedef struct sortlast_machine {
  size_t size;         // sizeof(sortlast_machine)
  double alpha;        // latency of a message between nodes [s]
  double beta;         // time per byte between nodes, on the link that a node's ranks share [s]
  double node_alpha;   // latency of a message within a node [s]
  double node_beta;    // time per byte within a node, by message [s]
  double gamma_read;   // time to read a byte in blending [s]
  double gamma_write;  // time to write a byte in blending [s]
  double copy;         // time to copy a byte [s]
  int32_t cores;       // cores of a node for its ranks; 0: one per rank
  int32_t ranks;       // ranks of a node, if the compositor does not let ranks read each other's images
} sortlast_machine;

// A network of 100 Gbit/s between nodes, and a 2023 server.
#define SORTLAST_MACHINE_INIT \
  {sizeof(sortlast_machine), 2e-6, 1e-10, 2e-6, 1.2e-10, 3e-11, 3e-11, 1e-10, 0, 1}

typedef struct sortlast_tune_options {
  size_t size;         // sizeof(sortlast_tune_options)
  double seconds;      // duration; longer measurements are less disturbed by other activity of the machine
  double timeout;      // longest wait without any progress [s]
  int32_t node_ranks;  // as sortlast_options.node_ranks
  // Called on every rank with the number of finished measurements and their total; NULL: not called.
  void (*progress)(void* user, int32_t done, int32_t total);
  int (*interrupt)(void* user);  // as sortlast_options.interrupt
  void* user;                    // passed to both callbacks
} sortlast_tune_options;

#define SORTLAST_TUNE_OPTIONS_INIT {sizeof(sortlast_tune_options), 2, 60, 0, NULL, NULL, NULL}

// The measured figures, the same on every rank.
typedef struct sortlast_report sortlast_report;

// Measure the machine of `comm`; collective. `comm` is duplicated and may be freed at once. options may be
// NULL: all defaults.
//
// Errors, on every rank: ARGUMENT (seconds that are not positive), MISMATCH, TIMEOUT, MPI, MEMORY; INTERRUPT.
sortlast_status sortlast_machine_measure(MPI_Comm comm, const sortlast_tune_options* options,
                                         sortlast_report** report);

// The error message of the last call on this handle; "" if it succeeded. Valid until the next call on it.
const char* sortlast_report_message(const sortlast_report* report);

void sortlast_report_free(sortlast_report* report);

// Each figure's median, minimum and maximum over several measurements. Any pointer may be NULL; the others
// must hold their size on entry (SORTLAST_MACHINE_INIT). Errors: ARGUMENT.
sortlast_status sortlast_report_machine(sortlast_report* report, sortlast_machine* median,
                                        sortlast_machine* low, sortlast_machine* high);

// Whether the time with this name ("alpha") could be measured. The others are defaults, for instance the
// times of messages between nodes if there is only one node.
bool sortlast_report_measured(const sortlast_report* report, const char* time);

// Write the medians to a file, for sortlast_options.profile or the environment variable SORTLAST_PROFILE. To
// be called on one rank. Errors: ARGUMENT (it cannot be written), MEMORY.
sortlast_status sortlast_report_save(sortlast_report* report, const char* path);

// Write the medians to the default file of compositors on this machine with this MPI library. To be called on
// one rank. Writes the path, which the handle owns; `path` may be NULL. Errors: ARGUMENT (it cannot be
// written), MEMORY.
sortlast_status sortlast_report_keep(sortlast_report* report, const char** path);

// ---- Compositor ------------------------------------------------------------------------------------

// Composites one image per rank into one image, over the ranks of a communicator.
//
// _create, _composite and _gather are collective: every rank makes the same calls. If the arguments differ,
// or are wrong on some rank, every rank gets the same error once all have arrived. The compositor remains
// usable unless some rank had begun to exchange the frame, in which case the message says so. This never
// happens if all ranks share a machine. Pixels may already have been written to `out`.
//
// If a rank does not arrive within the timeout, the other ranks get SORTLAST_ERROR_TIMEOUT. Messages may then
// still be in flight, so the memory of the images must stay valid until MPI_Finalize, and the compositor can
// only be freed. The same holds after a SORTLAST_ERROR_MISMATCH with a message that says so, and after
// SORTLAST_ERROR_MPI, _MEMORY and _INTERRUPT on this rank, which the other ranks receive as
// SORTLAST_ERROR_REMOTE. A new compositor may be made on the same communicator.
//
// Only one call at a time on a handle. A second call, from the interrupt callback, and every call after
// _close or after MPI_Finalize gets SORTLAST_ERROR_USAGE on the rank that makes it, and has no effect.
typedef struct sortlast_compositor sortlast_compositor;

// Encoding of colours in messages: as in the image, or float32 as float16, which adds a relative error of at
// most 2^-11 per transfer.
enum sortlast_wire { SORTLAST_WIRE_IMAGE = 0, SORTLAST_WIRE_FLOAT16 = 1 };

// All ranks pass the same values, except for timeout, threads, profile and interrupt.
typedef struct sortlast_options {
  size_t size;            // sizeof(sortlast_options)
  const char* algorithm;  // "shift", "radix-k:4,3", ... (sortlast_algorithm_usage); NULL: "auto"
  const int32_t* ring;    // the p ranks in the preferred communication order (the fabric's routing order),
                          // independent of the depth order; NULL: rank order
  double timeout;         // longest wait without any progress [s]
  // How many ranks of a machine may read each other's images in place. 0: all ranks that share a machine; 1:
  // none, all pixels travel as messages; k: groups of at most k ranks, as if the others were on other
  // machines.
  int32_t node_ranks;
  int32_t threads;  // threads that blend, including the calling thread; 0: the cores of this machine divided
                    // by its ranks
  int32_t wire;     // SORTLAST_WIRE_IMAGE or SORTLAST_WIRE_FLOAT16
  // Check in every call, with a small reduction, that all ranks passed the same arguments. Without the check,
  // ranks that disagree deadlock or produce wrong pixels. The check is always on, at no cost, when all ranks
  // share a machine.
  bool check;
  // File with the figures of the machine for which "auto" selects an algorithm (sortlast_report_save), read
  // on rank 0 only. NULL selects, in this order: the file named by the environment variable SORTLAST_PROFILE,
  // the file kept for this machine and MPI library, and defaults.
  const char* profile;
  // 0: every frame waits for all ranks. Otherwise late ranks are left out: the frame is composited from the
  // ranks that arrived before the deadline. A rank that arrives later takes part in the next frame. The
  // deadline is the time [s] that a frame stays open after the first call of a rank that took part in the
  // previous frame. With several nodes it counts from the call of rank 0, for which all ranks wait. It is at
  // most `timeout`, and applies only to frames with one image per rank.
  double deadline;
  // Called about every 50 ms while waiting. A nonzero result ends the call with SORTLAST_ERROR_INTERRUPT, and
  // ends the compositor like a timeout. NULL: not called.
  int (*interrupt)(void* user);
  void* user;  // passed to the callback
} sortlast_options;

#define SORTLAST_OPTIONS_INIT \
  {sizeof(sortlast_options), NULL, NULL, 60, 0, 0, SORTLAST_WIRE_IMAGE, true, NULL, 0, NULL, NULL}

// Make a compositor; collective over `comm`, which is duplicated and may be freed at once. MPI must be
// initialised. options may be NULL: all defaults.
//
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY, INTERRUPT, REMOTE, USAGE.
sortlast_status sortlast_compositor_create(MPI_Comm comm, const sortlast_options* options,
                                           sortlast_compositor** compositor);

// The error message of the last call on this handle; "" if it succeeded. Valid until the next call on it.
const char* sortlast_compositor_message(const sortlast_compositor* compositor);

// Release the compositor's communicators, threads and shared memory; every rank closes its own. The handle
// remains, and all further calls on it except _message and _free are USAGE errors. Its tiles, frames and
// memory also remain.
//
// Errors: ARGUMENT (it was not made), USAGE (it is closed).
sortlast_status sortlast_compositor_close(sortlast_compositor* compositor);

// Make a compositor of the surviving ranks, in the same order and with the same options, after ranks have
// died or a call has failed. Algorithm parameters that do not fit the number of ranks are dropped. The old
// compositor can then only be closed and freed. Collective over the surviving ranks; ranks in another call of
// the old compositor get REMOTE. This needs an MPI in which ranks survive the death of others (Open MPI 5
// started with `mpiexec --with-ft ulfm`); with any other MPI it is a USAGE error, and the compositor is
// unchanged. Error messages are stored in the old handle.
//
// Errors: USAGE, TIMEOUT (a surviving rank does not arrive; final), MPI, MEMORY, INTERRUPT, REMOTE, ARGUMENT.
sortlast_status sortlast_compositor_shrink(sortlast_compositor* compositor, sortlast_compositor** shrunk);

// For each rank, its rank in the communicator of the first compositor, before any _shrink. Writes the number
// of ranks. The handle owns the array. NULL and 0 if the compositor was not made or is closed.
const int32_t* sortlast_compositor_ranks(sortlast_compositor* compositor, int32_t* count);

// Close the compositor, if it is open, and free the handle. Allowed after MPI_Finalize.
void sortlast_compositor_free(sortlast_compositor* compositor);

// Memory that the other ranks of the machine can read.
typedef struct sortlast_memory sortlast_memory;

// Memory for an image, or for one plane of it: `bytes` zeros, aligned to 64 bytes. Images in this memory are
// composited without a copy; other images are read through the kernel, or copied once if the kernel forbids
// that. Not collective. Writes a handle, which may outlive the compositor, or NULL on failure (the compositor
// holds the message).
//
// Errors: ARGUMENT (bytes below 0, NULL as the address of the handle), MEMORY, INTERNAL (the system has no
// shared memory).
sortlast_status sortlast_compositor_allocate(sortlast_compositor* compositor, int64_t bytes,
                                             sortlast_memory** memory);

// The same in the memory of GPU `gpu` of this process, aligned to 256 bytes, which the other ranks of the
// machine can open.
//
// Errors: as above; INTERNAL (no CUDA driver, no such GPU, or not enough memory).
sortlast_status sortlast_compositor_allocate_on_device(sortlast_compositor* compositor, int64_t bytes,
                                                       int32_t gpu, sortlast_memory** memory);

// Address of the first byte; NULL for 0 bytes, and for NULL.
void* sortlast_memory_data(const sortlast_memory* memory);

void sortlast_memory_free(sortlast_memory* memory);

// The pixels that one rank has finished.
typedef struct sortlast_tile sortlast_tile;

// Composite one frame; collective. Every rank describes its image. A rank without an image passes NULL as
// colour, and the size and format of the other images. composition may be NULL: all defaults. Writes this
// rank's tile, or NULL on failure (the compositor holds the message).
//
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY, INTERRUPT, REMOTE, USAGE.
sortlast_status sortlast_compositor_composite(sortlast_compositor* compositor, const sortlast_image* image,
                                              const sortlast_composition* composition, sortlast_tile** tile);

// Pixels [range.begin, range.end) of the whole image. If the image was divided into blocks, the pixels of
// ranges[0], ranges[1] and so on, one after the other, and `range` counts them from 0. The range may be
// empty. The pixels stay unchanged whatever the compositor does later, and all addresses stay valid, until
// the tile is freed.
typedef struct sortlast_tile_pixels {
  sortlast_range range;
  const void* colour;            // (range.end - range.begin) * channels scalars; NULL if there are none
  const float* depth;            // range.end - range.begin depths; NULL if the images have none
  const sortlast_range* ranges;  // NULL if there are none
  int64_t range_count;           // 0 or 1 unless the image was divided into blocks
} sortlast_tile_pixels;

// All zero for NULL.
sortlast_tile_pixels sortlast_tile_get(const sortlast_tile* tile);

// If late ranks are left out: the number of the tile's frame, from 1, the same on every rank, which may be
// greater than the number of the rank's last frame plus one; and the ranks that are not in the frame,
// ascending, valid until the tile is freed. All 0 and NULL for NULL.
typedef struct sortlast_tile_attendance {
  int64_t frame;
  const int32_t* left_out;  // NULL if there are none
  int32_t left_out_count;
} sortlast_tile_attendance;

sortlast_tile_attendance sortlast_tile_attendance_get(const sortlast_tile* tile);

void sortlast_tile_free(sortlast_tile* tile);

// Like sortlast_compositor_composite, for images with further channels, which follow the operator: `count`
// consecutive structures, each initialised with SORTLAST_CHANNEL_INIT. A rank without an image passes them
// without values. Only drawn pixels travel, as float32 if they are blended, and the result does not depend on
// the algorithm. The image must have fewer than 2^32 pixels.
//
// Errors: as in sortlast_compositor_composite.
sortlast_status sortlast_compositor_composite_channels(sortlast_compositor* compositor,
                                                       const sortlast_image* image,
                                                       const sortlast_channel* channels, int32_t count,
                                                       const sortlast_composition* composition,
                                                       sortlast_tile** tile);

// One of several images of a rank: the pixels of a box of the frame, with a position in depth. Only read
// during the call.
typedef struct sortlast_box_image {
  sortlast_image image;           // as wide and high as the box; its bounds are ignored
  int64_t position;               // in depth, lower is in front; unique over the images of all ranks
  const sortlast_rectangle* box;  // within the frame; NULL: the whole frame
} sortlast_box_image;

// Like sortlast_compositor_composite, for several images per rank, or none (count 0). The images of all ranks
// are composited from front to back by position; the positions of one rank's images need not be consecutive.
// An image contributes nothing outside its box, and the cost of images much smaller than the frame depends on
// the pixels in their boxes. The frame has width x height pixels. All images have the same format, also on
// ranks without images. composition->order must be NULL.
//
// Errors: as in _composite; ARGUMENT on every rank for a position that two images share.
sortlast_status sortlast_compositor_composite_images(sortlast_compositor* compositor,
                                                     const sortlast_box_image* images, int32_t count,
                                                     int64_t width, int64_t height, sortlast_format format,
                                                     const sortlast_composition* composition,
                                                     sortlast_tile** tile);

// The number of channels of a tile, and one of them, sorted by name; all zero if the index is out of range. 0
// for NULL.
int32_t sortlast_tile_channel_count(const sortlast_tile* tile);
sortlast_channel_values sortlast_tile_channel(const sortlast_tile* tile, int32_t index);

// Collect the tiles of one frame into the whole image at rank `root`; collective. with_depth: also collect
// the depth, if the images had one. Writes a frame at the root and NULL elsewhere, and NULL on failure (the
// compositor holds the message). The tile may be freed at once. If ranks were left out, the ranks of the
// frame take part, and `root` must be one of them.
//
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY, INTERRUPT, REMOTE, USAGE.
sortlast_status sortlast_compositor_gather(sortlast_compositor* compositor, const sortlast_tile* tile,
                                           int32_t root, bool with_depth, sortlast_frame** frame);

// Like _gather, and also collect all channels of the tile, in memory owned by the frame:
// sortlast_frame_channel.
//
// Errors: as in _gather.
sortlast_status sortlast_compositor_gather_channels(sortlast_compositor* compositor,
                                                    const sortlast_tile* tile, int32_t root, bool with_depth,
                                                    sortlast_frame** frame);

// Like _gather, but write the root's frame to memory of the caller: width * height * channels scalars and, if
// with_depth, one depth per pixel. Read only at the root, where a missing plane is an ARGUMENT error
// (MISMATCH if there are other ranks).
//
// Errors: as in _gather.
sortlast_status sortlast_compositor_gather_into(sortlast_compositor* compositor, const sortlast_tile* tile,
                                                int32_t root, bool with_depth, sortlast_pixels out);

// ---- Fragments -------------------------------------------------------------------------------------

// Lists of fragments ("deep image"): pixel by pixel in row-major order, each with a colour and a depth. The
// fragments of all ranks are ordered by depth (a NaN lies behind all others). Fragments of equal depth are
// ordered by rank, and fragments of one rank keep their order in its list.
typedef struct sortlast_fragments {
  size_t size;  // sizeof(sortlast_fragments)
  int64_t width;
  int64_t height;         // of the whole image, the same on all ranks
  const int32_t* counts;  // fragments of each of the width * height pixels; NULL: none
  const float* colour;    // premultiplied RGBA of each fragment
  const float* depth;     // of each fragment, unsorted within a pixel
  int64_t count;          // number of fragments
  // A z-buffer image in RGBA float32 with a depth, both or none. Each of its pixels with a depth below
  // infinity is one more fragment. Its alpha counts as 1 whatever the image holds, and it lies behind the
  // rank's other fragments of equal depth.
  const float* surface;
  const float* surface_depth;
  // Type of the colours, the same on all ranks: SORTLAST_FLOAT32, or SORTLAST_UINT8 with the colours and
  // surface in the members below instead. The finished pixels have this type, too.
  int32_t scalar;
  const uint8_t* colour_uint8;
  const uint8_t* surface_uint8;
  // Intervals of depth, on all ranks or on none: `depth` is the front of each and `depth_back` its back, the
  // same depth or a finite depth behind it. Overlapping intervals are mixed (fragments.hpp).
  bool intervals;
  const float* depth_back;
  // Further values per fragment, kept with the merged lists: channels without rules and backgrounds.
  const sortlast_channel* channels;
  int32_t channel_count;
} sortlast_fragments;

#define SORTLAST_FRAGMENTS_INIT                                              \
  {sizeof(sortlast_fragments), 0,    0,    NULL,  NULL, NULL, 0, NULL, NULL, \
   SORTLAST_FLOAT32,           NULL, NULL, false, NULL, NULL, 0}

// How the fragments of one frame become one image. All ranks pass the same values.
typedef struct sortlast_fragment_composition {
  size_t size;              // sizeof(sortlast_fragment_composition)
  const float* background;  // premultiplied RGBA; NULL: none
  int64_t max_bytes;        // maximum bytes of fragments that a rank may have to hold for the pixels that it
                            // finishes (counted as in FragmentComposition::max_bytes); 0: no limit
  bool keep_lists;          // the tile keeps the merged lists; if not, less data travels, and no bit changes
  sortlast_pixels out;      // as in sortlast_composition
} sortlast_fragment_composition;

#define SORTLAST_FRAGMENT_COMPOSITION_INIT                               \
  {                                                                      \
    sizeof(sortlast_fragment_composition), NULL, 0, true, { NULL, NULL } \
  }

// Composite one frame of fragments with SORTLAST_OVER; collective. composition may be NULL: all defaults.
// Writes this rank's tile, RGBA with the scalar type of the colours, or NULL on failure (the compositor holds
// the message). All algorithms give the same bits. uint8 colours count as their value divided by 255, and the
// finished pixels are rounded once.
//
// Errors: as in _composite; ARGUMENT, on every rank, also for negative counts, counts that do not add up to
// `count`, and more than max_bytes.
sortlast_status sortlast_compositor_composite_fragments(sortlast_compositor* compositor,
                                                        const sortlast_fragments* fragments,
                                                        const sortlast_fragment_composition* composition,
                                                        sortlast_tile** tile);

// Merged lists of a whole image.
typedef struct sortlast_fragment_lists sortlast_fragment_lists;

// Collect the lists that the tiles of one frame keep, at rank `root`; collective. Writes them at the root and
// NULL elsewhere, and NULL on failure (the compositor holds the message).
//
// Errors: as in _gather; ARGUMENT for a tile without lists.
sortlast_status sortlast_compositor_gather_fragments(sortlast_compositor* compositor,
                                                     const sortlast_tile* tile, int32_t root,
                                                     sortlast_fragment_lists** lists);

// All addresses are valid until the lists are freed. All zero for NULL.
sortlast_fragments sortlast_fragment_lists_get(const sortlast_fragment_lists* lists);

void sortlast_fragment_lists_free(sortlast_fragment_lists* lists);

// ---- Timing and events -----------------------------------------------------------------------------

// The times of one frame by phase, and the data moved, on this rank.
typedef struct sortlast_timing {
  size_t size;         // sizeof(sortlast_timing)
  double agree;        // checking that all ranks passed the same arguments, including waiting for late ranks;
                       // this waiting is part of `wait` if messages are exchanged before all ranks arrive [s]
  double late;         // the part of `agree` spent waiting for later ranks; 0 if unknown [s]
  double wait;         // transfers not hidden by blending [s]
  double blend;        // merging [s]
  double gather;       // collecting the tiles [s]
  double total;        // the whole frame [s]
  int64_t bytes_sent;  // [bytes], like the other byte counts
  int64_t bytes_received;
  int64_t messages_sent;
  int64_t messages_received;
  int64_t stages;
  int64_t peak_bytes;  // peak memory beyond the input image and the result
  double search;       // searching for active pixels, before the ranks meet and as messages are made [s]
} sortlast_timing;

#define SORTLAST_TIMING_INIT {sizeof(sortlast_timing), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

// Times of the last composite and, if it followed, of gather; all zero before. `timing` must hold its size on
// entry.
//
// Errors: ARGUMENT.
sortlast_status sortlast_compositor_timing(sortlast_compositor* compositor, sortlast_timing* timing);

// Full name of the algorithm of the last composite ("radix-k:4,3"), before that the requested name; "" if the
// compositor was not made. Valid until the next call on the handle.
const char* sortlast_compositor_algorithm(const sortlast_compositor* compositor);

// How and why the last composite chose its method, with the figures used: a few lines of text; "" if the
// compositor was not made. Valid until the next call on the handle.
const char* sortlast_compositor_explain(sortlast_compositor* compositor);

// Actions of a rank.
enum sortlast_activity {
  SORTLAST_ACTIVITY_AGREE = 0,
  SORTLAST_ACTIVITY_SEND = 1,
  SORTLAST_ACTIVITY_RECEIVE = 2,
  SORTLAST_ACTIVITY_WAIT = 3,
  SORTLAST_ACTIVITY_BLEND = 4,
  SORTLAST_ACTIVITY_GATHER = 5,
  SORTLAST_ACTIVITY_SEARCH = 6
};

typedef struct sortlast_event {
  int32_t activity;  // SORTLAST_ACTIVITY_AGREE ...
  int32_t peer;      // the other rank of a send or receive, the root of a gather; -1: none
  int32_t stage;     // stage of a send or receive, 1, 2, ...; -1: none
  double begin;      // [s], on a clock shared by all processes of a host
  double end;        // [s]
  int64_t bytes;     // moved, or read by a blend
} sortlast_event;

// Start or stop recording events. Errors: ARGUMENT (the compositor was not made), USAGE.
sortlast_status sortlast_compositor_trace(sortlast_compositor* compositor, bool on);

// The events recorded and not cleared. Writes the address of an array that the handle owns, and its length.
// Valid until the next call on the handle.
//
// Errors: ARGUMENT, MEMORY, USAGE.
sortlast_status sortlast_compositor_events(sortlast_compositor* compositor, const sortlast_event** events,
                                           int64_t* count);

// Drop the recorded events. Errors: as in _trace.
sortlast_status sortlast_compositor_clear_events(sortlast_compositor* compositor);

// ---- Visibility order ------------------------------------------------------------------------------

// Order the ranks by the box that holds each rank's data. Boxes may share faces. Collective over `comm`, with
// the same viewpoint on every rank, and a timeout as in sortlast_options [s]. box may be NULL: no data on
// this rank.
//
// Errors, the same on every rank: ARGUMENT (boxes that overlap or cover each other in a cycle, with their
// ranks; the boxes of a k-d tree or a regular grid never do), MISMATCH (different viewpoints), TIMEOUT, MPI,
// MEMORY.
sortlast_status sortlast_visibility_create(MPI_Comm comm, const sortlast_box* box,
                                           sortlast_viewpoint viewpoint, double timeout,
                                           sortlast_visibility** visibility);

// A node of a k-d tree, quadtree or octree: a plane across each of its axes divides its cell. Node 0 is the
// root, and its cell is all of space.
typedef struct sortlast_split_node {
  uint32_t axes;       // bit a: there is a plane across axis a
  double position[3];  // of the plane across each axis, in the units of the scene
  // Indexed by the sides of the planes: bit a of the index is set above the plane across axis a. A
  // nonnegative value is the number of a node; -1 - i is a leaf that holds box i of all ranks' boxes,
  // starting with rank 0; INT32_MIN holds no data.
  int32_t children[8];
} sortlast_split_node;

// Positions of many boxes per rank, front to back over all ranks.
typedef struct sortlast_positions sortlast_positions;

// Order the boxes of all ranks. This rank has `count` boxes, possibly none (boxes may then be NULL). With
// `split`, boxes that overlap or cover each other in cycles are split until there is an order: see
// visibility_order_of_parts in sortlast/visibility.hpp. With a tree of `nodes` nodes, 1 or more, the order is
// a walk of the tree, which excludes `split`. nodes 0: the order is searched for. Collective over `comm`,
// with the same viewpoint, split and tree on every rank, and a timeout as in sortlast_options [s].
//
// Errors, the same on every rank: ARGUMENT (boxes that overlap or cover each other in a cycle without split,
// named; an invalid tree), MISMATCH (arguments that must be the same differ), TIMEOUT, MPI, MEMORY.
sortlast_status sortlast_positions_create(MPI_Comm comm, const sortlast_box* boxes, int32_t count,
                                          sortlast_viewpoint viewpoint, bool split,
                                          const sortlast_split_node* tree, int32_t nodes, double timeout,
                                          sortlast_positions** positions);

// Number of boxes that this rank renders: `count` boxes, with split also parts of boxes. 0 if there is no
// order.
int32_t sortlast_positions_count(const sortlast_positions* positions);

// For each of them: its position, from 0, unique over all ranks; the box; and the index, among this rank's
// boxes, of the box that it is or is a part of. Indices ascend, and parts of one box are front to back. NULL
// if there are none.
const int64_t* sortlast_positions_of_boxes(const sortlast_positions* positions);
const sortlast_box* sortlast_positions_boxes(const sortlast_positions* positions);
const int32_t* sortlast_positions_sources(const sortlast_positions* positions);

// The error message from making the positions; "" if it succeeded.
const char* sortlast_positions_message(const sortlast_positions* positions);

void sortlast_positions_free(sortlast_positions* positions);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
