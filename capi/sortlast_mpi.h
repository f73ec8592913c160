// sortlast_mpi.h: the C interface of sortlast over MPI: the compositor, the visibility order from each rank's
// own box, and the measurement of a machine. What sortlast.h says of handles, errors and structures holds
// here too.
#ifndef SORTLAST_MPI_H
#define SORTLAST_MPI_H

#include <mpi.h>

#include "sortlast.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)  // of a shared library only what stands here is seen
#endif

// ---- Machines --------------------------------------------------------------------------------------

// The figures of a machine, from which times are predicted; times are of one rank that has a core to itself.
typedef struct sortlast_machine {
  size_t size;         // sizeof(sortlast_machine)
  double alpha;        // latency of a message between nodes [s]
  double beta;         // a byte between nodes, on the link that a node's ranks share [s]
  double node_alpha;   // latency of a message within a node [s]
  double node_beta;    // a byte within a node, by message [s]
  double gamma_read;   // to read a byte in blending [s]
  double gamma_write;  // to write a byte in blending [s]
  double copy;         // to copy a byte [s]
  int32_t cores;       // cores of a node for its ranks; 0: one for each
  int32_t ranks;       // ranks of a node, where the compositor does not let ranks read each other's images
} sortlast_machine;

// A network of 100 Gbit/s between nodes, and a server of 2023.
#define SORTLAST_MACHINE_INIT \
  {sizeof(sortlast_machine), 2e-6, 1e-10, 2e-6, 1.2e-10, 3e-11, 3e-11, 1e-10, 0, 1}

typedef struct sortlast_tune_options {
  size_t size;         // sizeof(sortlast_tune_options)
  double seconds;      // to measure for; the longer, the less of what else the machine does is in the figures
  double timeout;      // longest wait without any progress [s]
  int32_t node_ranks;  // as sortlast_options.node_ranks
  // Called on every rank with the measurements done, and how many there are; NULL: not.
  void (*progress)(void* user, int32_t done, int32_t total);
  int (*interrupt)(void* user);  // as sortlast_options.interrupt
  void* user;                    // handed to both
} sortlast_tune_options;

#define SORTLAST_TUNE_OPTIONS_INIT {sizeof(sortlast_tune_options), 2, 60, 0, NULL, NULL, NULL}

// What was measured, the same on every rank.
typedef struct sortlast_report sortlast_report;

// Measure the machine of `comm`; collective. `comm` is duplicated and may be freed at once. options may be
// NULL: all defaults.
// Errors, on every rank: ARGUMENT (seconds that are not positive), MISMATCH, TIMEOUT, MPI, MEMORY; INTERRUPT.
sortlast_status sortlast_machine_measure(MPI_Comm comm, const sortlast_tune_options* options,
                                         sortlast_report** report);

// What was wrong with the last call on this handle; "" if nothing was. Valid until the next call on it.
const char* sortlast_report_message(const sortlast_report* report);

void sortlast_report_free(sortlast_report* report);

// Each figure's median over several measurements, its least and its greatest. A place may be NULL; others
// hold their size before (SORTLAST_MACHINE_INIT). Errors: ARGUMENT.
sortlast_status sortlast_report_machine(sortlast_report* report, sortlast_machine* median,
                                        sortlast_machine* low, sortlast_machine* high);

// Whether the time of this name ("alpha") could be measured. The others are defaults, such as those of
// messages between nodes where there is one node.
bool sortlast_report_measured(const sortlast_report* report, const char* time);

// Write the medians to a file, for sortlast_options.profile or the environment variable SORTLAST_PROFILE; to
// be called on one rank. Errors: ARGUMENT (it cannot be written), MEMORY.
sortlast_status sortlast_report_save(sortlast_report* report, const char* path);

// Write them to the file in which compositors look that are made on this machine, over this MPI library, and
// told no other; to be called on one rank. Writes the path, which the handle owns; `path` may be NULL.
// Errors: ARGUMENT (it cannot be written), MEMORY.
sortlast_status sortlast_report_keep(sortlast_report* report, const char** path);

// ---- Compositor ------------------------------------------------------------------------------------

// Composites one image a rank into one image, over the ranks of a communicator.
//
// _create, _composite and _gather are collective: every rank makes the same calls. If arguments differ, or
// one is wrong on some rank, every rank gets the same error once all have arrived, and the compositor stays
// usable if no rank had begun to exchange the frame, which ranks of one machine never have; pixels may have
// been written to what was passed as `out`. If a rank does not arrive within the timeout, the others get
// SORTLAST_ERROR_TIMEOUT; messages may then still be under way, so the memory of the images must stay until
// MPI_Finalize, and the compositor can only be freed. So it is after a SORTLAST_ERROR_MISMATCH whose message
// says that it cannot be used any more, and after SORTLAST_ERROR_MPI, _MEMORY and _INTERRUPT on this rank, of
// which the others hear by SORTLAST_ERROR_REMOTE. A new compositor may be made on the same communicator.
//
// One call at a time on a handle; a second one, from the interrupt callback, and every call after _close or
// after MPI_Finalize is SORTLAST_ERROR_USAGE, on the rank that makes it, and nothing has happened.
typedef struct sortlast_compositor sortlast_compositor;

// What colours travel as: as the image holds them, or float32 as float16, which rounds each by at most 2^-11
// of itself a transfer.
enum sortlast_wire { SORTLAST_WIRE_IMAGE = 0, SORTLAST_WIRE_FLOAT16 = 1 };

// All ranks pass the same but for timeout, threads, profile and interrupt.
typedef struct sortlast_options {
  size_t size;            // sizeof(sortlast_options)
  const char* algorithm;  // "shift", "radix-k:4,3", ... (sortlast_algorithm_usage); NULL: "auto"
  const int32_t* ring;    // the p ranks in the order in which they should talk (the fabric's routing order),
                          // apart from depth order; NULL: rank order
  double timeout;         // longest wait without any progress [s]
  // Ranks that share a machine read each other's images where they lie. 0: those that really do; 1: none, all
  // pixels travel as messages; k: at most k of them, as if the others were on other machines.
  int32_t node_ranks;
  int32_t threads;  // that blend, the caller's own among them; 0: as many as this machine has cores for each
                    // of its ranks
  int32_t wire;     // SORTLAST_WIRE_IMAGE or SORTLAST_WIRE_FLOAT16
  // Check in every call, by a reduction of a few numbers, that all ranks passed the same arguments. Without
  // it ranks that disagree hang or give wrong pixels. Ranks that all share a machine check anyway, at no
  // cost.
  bool check;
  // File with the figures of the machine for which "auto" chooses (sortlast_report_save), read on rank 0
  // alone; NULL: the file that the environment variable SORTLAST_PROFILE names, or else the one that was kept
  // for this machine and MPI library, or else defaults.
  const char* profile;
  // 0: every frame waits for all ranks. Otherwise late ranks are left out: a frame is composited by the ranks
  // that have arrived when its deadline is over, or when all have. A rank that arrives later takes part in
  // the next frame. The deadline is how long a frame stays open after the first call of a rank that took part
  // in the one before; where ranks are on several nodes, after the call of rank 0, for which all wait [s]. At
  // most timeout. Frames of one image per rank only.
  double deadline;
  // Called about every 50 ms of waiting; what is not 0 ends the call with SORTLAST_ERROR_INTERRUPT, and the
  // compositor as a timeout would. NULL: not called.
  int (*interrupt)(void* user);
  void* user;  // handed to it
} sortlast_options;

#define SORTLAST_OPTIONS_INIT \
  {sizeof(sortlast_options), NULL, NULL, 60, 0, 0, SORTLAST_WIRE_IMAGE, true, NULL, 0, NULL, NULL}

// Make a compositor; collective over `comm`, which is duplicated and may be freed at once. MPI must be
// initialised. options may be NULL: all defaults.
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY, INTERRUPT, REMOTE, USAGE.
sortlast_status sortlast_compositor_create(MPI_Comm comm, const sortlast_options* options,
                                           sortlast_compositor** compositor);

// What was wrong with the last call on this handle; "" if nothing was. Valid until the next call on it.
const char* sortlast_compositor_message(const sortlast_compositor* compositor);

// Give back its communicators, threads and shared memory; every rank closes its own. The handle stays, and
// all further calls on it but _message and _free are USAGE errors; its tiles, frames and memory stay too.
// Errors: ARGUMENT (it was not made), USAGE (it is closed).
sortlast_status sortlast_compositor_close(sortlast_compositor* compositor);

// Make a compositor of the ranks that live, in the same order and with the same options: once ranks have
// died, or a call was given up. Parameters of an algorithm that do not fit the number of ranks are left out.
// Then the old one can only be closed and freed. Collective over the ranks that live; those in another call
// of the old compositor get REMOTE. It takes an MPI in which ranks outlive others (Open MPI 5 by `mpiexec
// --with-ft ulfm`); elsewhere it is a USAGE error, and the compositor is as it was. What was wrong is a
// message of the old one. Errors: USAGE, TIMEOUT (a rank that lives does not come; final), MPI, MEMORY,
// INTERRUPT, REMOTE, ARGUMENT.
sortlast_status sortlast_compositor_shrink(sortlast_compositor* compositor, sortlast_compositor** shrunk);

// Of each rank the one that it was in the communicator that the first compositor was made on, before any
// _shrink; writes how many there are. The handle owns them. NULL, and 0 of them, if it was not made or is
// closed.
const int32_t* sortlast_compositor_ranks(sortlast_compositor* compositor, int32_t* count);

// Close it, if that was not done, and free the handle. It may be done after MPI_Finalize.
void sortlast_compositor_free(sortlast_compositor* compositor);

// Memory that the other ranks of the machine can read.
typedef struct sortlast_memory sortlast_memory;

// Memory for an image, or for a plane of one: `bytes` zeros, aligned to 64. Images that lie in it are
// composited without a copy; others are read through the kernel, or copied once where it forbids that. Not
// collective. Writes a handle, which may outlive the compositor, or NULL on failure (the message is the
// compositor's).
// Errors: ARGUMENT (bytes below 0, no place for the handle), MEMORY, INTERNAL (the system has no shared
// memory).
sortlast_status sortlast_compositor_allocate(sortlast_compositor* compositor, int64_t bytes,
                                             sortlast_memory** memory);

// Its first byte; NULL for 0 bytes, and for NULL.
void* sortlast_memory_data(const sortlast_memory* memory);

void sortlast_memory_free(sortlast_memory* memory);

// The pixels that one rank has finished.
typedef struct sortlast_tile sortlast_tile;

// Composite one frame; collective. Every rank describes its image; one without an image gives colour NULL
// and the size and format that the others have. composition may be NULL: all defaults. Writes this rank's
// tile, or NULL on failure (the message is the compositor's).
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY, INTERRUPT, REMOTE, USAGE.
sortlast_status sortlast_compositor_composite(sortlast_compositor* compositor, const sortlast_image* image,
                                              const sortlast_composition* composition, sortlast_tile** tile);

// Pixels [range.begin, range.end) of the whole image, or, if it was dealt out in blocks, those of ranges[0],
// ranges[1] and so on, one behind the other; `range` counts them from 0 then. It may be empty. The pixels
// stay unchanged whatever the compositor does later, and all addresses are valid, until the tile is freed.
typedef struct sortlast_tile_pixels {
  sortlast_range range;
  const void* colour;            // (range.end - range.begin) * channels scalars; NULL if there are none
  const float* depth;            // range.end - range.begin depths; NULL if the images have none
  const sortlast_range* ranges;  // NULL if there are none
  int64_t range_count;           // 0 or 1 unless the image was dealt out in blocks
} sortlast_tile_pixels;

// All zero for NULL.
sortlast_tile_pixels sortlast_tile_get(const sortlast_tile* tile);

// Where late ranks are left out: the number of the tile's frame, from 1, the same on every rank, which may be
// a later one than the rank's last and one more; and the ranks whose images are not in it, ascending, valid
// until the tile is freed. All 0 and NULL for NULL.
typedef struct sortlast_tile_attendance {
  int64_t frame;
  const int32_t* left_out;  // NULL if there are none
  int32_t left_out_count;
} sortlast_tile_attendance;

sortlast_tile_attendance sortlast_tile_attendance_get(const sortlast_tile* tile);

void sortlast_tile_free(sortlast_tile* tile);

// As sortlast_compositor_composite, of images whose pixels hold further channels, which follow the operator:
// `count` of them, one behind the other, each beginning with SORTLAST_CHANNEL_INIT. A rank without an image
// passes them without values. Only drawn pixels travel, as float32 where they are blended, and the result
// does not depend on the algorithm. The image holds fewer than 2^32 pixels. Errors: those of
// sortlast_compositor_composite.
sortlast_status sortlast_compositor_composite_channels(sortlast_compositor* compositor,
                                                       const sortlast_image* image,
                                                       const sortlast_channel* channels, int32_t count,
                                                       const sortlast_composition* composition,
                                                       sortlast_tile** tile);

// One of several images of a rank: the pixels of a box of the frame, at a place of their own in depth. All of
// it is only read during the call.
typedef struct sortlast_box_image {
  sortlast_image image;           // of the box's width and height; its bounds are not looked at
  int64_t position;               // in depth, lower ones in front; no two images of all ranks share one
  const sortlast_rectangle* box;  // within the frame; NULL: all of it
} sortlast_box_image;

// As sortlast_compositor_composite, of several images a rank: those of all ranks are composited front to back
// by their positions, whose ranks need not be neighbours. A rank may have none: count 0. Outside its box an
// image contributes nothing, and images far smaller than the frame cost what their boxes have. The frame is
// width x height pixels, and all images are of the same format, on ranks without any too. composition->order
// is NULL. Errors: those of _composite; ARGUMENT on every rank for a position that two images share.
sortlast_status sortlast_compositor_composite_images(sortlast_compositor* compositor,
                                                     const sortlast_box_image* images, int32_t count,
                                                     int64_t width, int64_t height, sortlast_format format,
                                                     const sortlast_composition* composition,
                                                     sortlast_tile** tile);

// How many channels a tile has, and one of them, in the order of their names; all zero if there is none of
// that index. 0 for NULL.
int32_t sortlast_tile_channel_count(const sortlast_tile* tile);
sortlast_channel_values sortlast_tile_channel(const sortlast_tile* tile, int32_t index);

// Collect the tiles of one frame in the whole image at rank `root`; collective. with_depth: the depth too,
// if the images had it. Writes a frame at the root and NULL elsewhere, and NULL on failure (the message is
// the compositor's). The tile may be freed at once. Where ranks were left out, those of the frame take part,
// and `root` is one of them.
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY, INTERRUPT, REMOTE, USAGE.
sortlast_status sortlast_compositor_gather(sortlast_compositor* compositor, const sortlast_tile* tile,
                                           int32_t root, bool with_depth, sortlast_frame** frame);

// The same, with all channels of the tile too, in memory of the frame's own: sortlast_frame_channel.
// Errors: those of _gather.
sortlast_status sortlast_compositor_gather_channels(sortlast_compositor* compositor,
                                                    const sortlast_tile* tile, int32_t root, bool with_depth,
                                                    sortlast_frame** frame);

// As _gather, but the root's frame is written to memory of the caller's: width * height * channels scalars
// and, if with_depth, as many depths as pixels. Read at the root alone, where a NULL plane that is needed is
// an ARGUMENT error (MISMATCH if there are other ranks). Errors: those of _gather.
sortlast_status sortlast_compositor_gather_into(sortlast_compositor* compositor, const sortlast_tile* tile,
                                                int32_t root, bool with_depth, sortlast_pixels out);

// ---- Fragments -------------------------------------------------------------------------------------

// Lists of fragments ("deep image"): pixel by pixel in row-major order, each with a colour and a depth. The
// fragments of all ranks are ordered by depth (a NaN lies behind all others), those of equal depth by rank,
// and those of one rank as it lists them.
typedef struct sortlast_fragments {
  size_t size;  // sizeof(sortlast_fragments)
  int64_t width;
  int64_t height;         // of the whole image, the same on all ranks
  const int32_t* counts;  // fragments of each of the width * height pixels; NULL: none at all
  const float* colour;    // premultiplied red, green, blue and alpha of each fragment
  const float* depth;     // of each fragment, in any order within a pixel
  int64_t count;          // of fragments
  // A z-buffer image in RGBA float32 with a depth, both or none: where its depth is below infinity it is one
  // more fragment, of alpha 1 whatever the image has there, behind the rank's others of equal depth.
  const float* surface;
  const float* surface_depth;
  // Of the colours, the same on all ranks: SORTLAST_FLOAT32, or SORTLAST_UINT8 with colours and surface here
  // instead of there. The finished pixels are of it, too.
  int32_t scalar;
  const uint8_t* colour_uint8;
  const uint8_t* surface_uint8;
  // Intervals of depth, on all ranks or on none: `depth` is where each begins, and `depth_back` where it
  // ends, there too or at a finite depth behind. Where they overlap they are mixed (fragments.hpp).
  bool intervals;
  const float* depth_back;
  // What else each holds, kept with the merged lists: channels without rules and backgrounds.
  const sortlast_channel* channels;
  int32_t channel_count;
} sortlast_fragments;

#define SORTLAST_FRAGMENTS_INIT                                              \
  {sizeof(sortlast_fragments), 0,    0,    NULL,  NULL, NULL, 0, NULL, NULL, \
   SORTLAST_FLOAT32,           NULL, NULL, false, NULL, NULL, 0}

// How the fragments of one frame become one image. All ranks pass the same.
typedef struct sortlast_fragment_composition {
  size_t size;              // sizeof(sortlast_fragment_composition)
  const float* background;  // premultiplied red, green, blue and alpha; NULL: none
  int64_t most_bytes;       // most bytes of fragments that a rank may have to hold of the pixels that it
                            // finishes (FragmentComposition::most_bytes tells how they count); 0: no limit
  bool keep_lists;          // the tile keeps the merged lists; without, less travels, and no bit changes
  sortlast_pixels out;      // as in sortlast_composition
} sortlast_fragment_composition;

#define SORTLAST_FRAGMENT_COMPOSITION_INIT                               \
  {                                                                      \
    sizeof(sortlast_fragment_composition), NULL, 0, true, { NULL, NULL } \
  }

// Composite one frame of fragments with SORTLAST_OVER; collective. composition may be NULL: all defaults.
// Writes this rank's tile, RGBA of the colours' scalar, the same bits by every algorithm, or NULL on failure
// (the message is the compositor's). Colours of uint8 count as their value over 255, and the finished pixels
// are rounded once.
// Errors: as of _composite; ARGUMENT, on every rank, too for negative counts, counts that do not add up to
// `count`, and more than most_bytes.
sortlast_status sortlast_compositor_composite_fragments(sortlast_compositor* compositor,
                                                        const sortlast_fragments* fragments,
                                                        const sortlast_fragment_composition* composition,
                                                        sortlast_tile** tile);

// Merged lists of a whole image.
typedef struct sortlast_fragment_lists sortlast_fragment_lists;

// Collect the lists that the tiles of one frame keep, at rank `root`; collective. Writes them at the root and
// NULL elsewhere, and NULL on failure (the message is the compositor's).
// Errors: as of _gather; ARGUMENT for a tile that keeps none.
sortlast_status sortlast_compositor_gather_fragments(sortlast_compositor* compositor,
                                                     const sortlast_tile* tile, int32_t root,
                                                     sortlast_fragment_lists** lists);

// All addresses are valid until the lists are freed. All zero for NULL.
sortlast_fragments sortlast_fragment_lists_get(const sortlast_fragment_lists* lists);

void sortlast_fragment_lists_free(sortlast_fragment_lists* lists);

// ---- Timing and events -----------------------------------------------------------------------------

// Where the time of a frame went on this rank, and what it moved.
typedef struct sortlast_timing {
  size_t size;         // sizeof(sortlast_timing)
  double agree;        // check that all ranks passed the same arguments; waiting for late ones is in it, or
                       // in wait if messages are exchanged before they have come [s]
  double late;         // of that, waiting for ranks that came later; 0 where it is not known [s]
  double wait;         // transfers that no blending hid [s]
  double blend;        // merging [s]
  double gather;       // collecting the tiles [s]
  double total;        // the whole frame [s]
  int64_t bytes_sent;  // [bytes], and so are the other bytes
  int64_t bytes_received;
  int64_t messages_sent;
  int64_t messages_received;
  int64_t stages;
  int64_t peak_bytes;  // most memory held beyond the input image and the result
  double search;       // looking for active pixels, before the ranks meet and as messages are made [s]
} sortlast_timing;

#define SORTLAST_TIMING_INIT {sizeof(sortlast_timing), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

// Of the last composite and, if it followed, gather; all zero before. `timing` holds its size before.
// Errors: ARGUMENT.
sortlast_status sortlast_compositor_timing(sortlast_compositor* compositor, sortlast_timing* timing);

// Full name of the algorithm of the last composite ("radix-k:4,3"), before that the one asked for; "" if
// the compositor was not made. Valid until the next call on the handle.
const char* sortlast_compositor_algorithm(const sortlast_compositor* compositor);

// How the last composite went about it, and why so, from which figures: some lines of text; "" if the
// compositor was not made. Valid until the next call on the handle.
const char* sortlast_compositor_explain(sortlast_compositor* compositor);

// What a rank did.
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
  int32_t peer;      // of a send or receive the other rank, of a gather the root; -1: none
  int32_t stage;     // of a send or receive, 1, 2, ...; -1: none
  double begin;      // [s], on a clock that all processes of a host share
  double end;        // [s]
  int64_t bytes;     // moved, or read by a blend
} sortlast_event;

// Record events from now on, or no longer. Errors: ARGUMENT (the compositor was not made), USAGE.
sortlast_status sortlast_compositor_trace(sortlast_compositor* compositor, bool on);

// Those that were recorded and not cleared: writes the address of an array that the handle owns, and its
// length. Valid until the next call on the handle.
// Errors: ARGUMENT, MEMORY, USAGE.
sortlast_status sortlast_compositor_events(sortlast_compositor* compositor, const sortlast_event** events,
                                           int64_t* count);

// Drop them. Errors: as of _trace.
sortlast_status sortlast_compositor_clear_events(sortlast_compositor* compositor);

// ---- Visibility order ------------------------------------------------------------------------------

// From the box that holds each rank's data; boxes may share faces. Collective over `comm`, with the same
// viewpoint on every rank, and a timeout as in sortlast_options [s]. box may be NULL: no data on this rank.
// Errors, on every rank alike: ARGUMENT (boxes that overlap, or that cover each other in a cycle, with the
// ranks named; the boxes of a kd-tree or a regular grid never do), MISMATCH (viewpoints that differ),
// TIMEOUT, MPI, MEMORY.
sortlast_status sortlast_visibility_create(MPI_Comm comm, const sortlast_box* box,
                                           sortlast_viewpoint viewpoint, double timeout,
                                           sortlast_visibility** visibility);

// A node of a k-d tree, quadtree or octree: its cell is divided by a plane across each of its axes. Node 0 is
// the root, and its cell is all of space.
typedef struct sortlast_split_node {
  uint32_t axes;       // bit a: there is a plane across axis a
  double position[3];  // of the plane across each axis, in the units of the scene
  // By the sides of the planes: bit a of the index is set above the plane across axis a. A number is that of
  // a node; -1 - i is a leaf that holds box i of all ranks' boxes, rank 0's first; INT32_MIN holds no data.
  int32_t children[8];
} sortlast_split_node;

// Places of many boxes a rank, front to back over all ranks.
typedef struct sortlast_positions sortlast_positions;

// The boxes of this rank, `count` of them, also none (then boxes may be NULL). With `split`, boxes that
// overlap or cover each other in cycles are split until there is an order: see visibility_order_of_parts in
// sortlast/visibility.hpp. With a tree of `nodes` nodes, 1 or more, the order is a walk of it; not beside
// `split`. nodes 0: the order is found. Collective over `comm`, with the same viewpoint, split and tree on
// every rank, and a timeout as in sortlast_options [s]. Errors, on every rank alike: ARGUMENT (boxes that
// overlap or cover each other in a cycle without split, named; a tree that is wrong), MISMATCH (what has to
// be the same differs), TIMEOUT, MPI, MEMORY.
sortlast_status sortlast_positions_create(MPI_Comm comm, const sortlast_box* boxes, int32_t count,
                                          sortlast_viewpoint viewpoint, bool split,
                                          const sortlast_split_node* tree, int32_t nodes, double timeout,
                                          sortlast_positions** positions);

// How many boxes this rank is to render: `count` boxes, with split also parts of boxes. 0 if there is no
// order.
int32_t sortlast_positions_count(const sortlast_positions* positions);

// For each of them its place, from 0, no two of all ranks the same; the box; and the index among this rank's
// boxes of the one that it is, or is a part of: rising, and front to back among the parts of one. NULL if
// there is none.
const int64_t* sortlast_positions_of_boxes(const sortlast_positions* positions);
const sortlast_box* sortlast_positions_boxes(const sortlast_positions* positions);
const int32_t* sortlast_positions_sources(const sortlast_positions* positions);

// What was wrong when they were made; "" if nothing was.
const char* sortlast_positions_message(const sortlast_positions* positions);

void sortlast_positions_free(sortlast_positions* positions);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
