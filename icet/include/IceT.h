// IceT.h: the interface of IceT, an image compositing library, on top of sortlast's compositor.
//
// Names, values and types are the same as in IceT 2, so that programs written or built for it work unchanged.
// Only one thread may make calls at a time. Calls work on the current context; each context has its own
// settings.
//
// Errors: a call that cannot do its work prints a line (see icetDiagnostics()), records an error code for
// icetGetError(), and changes nothing. A collective call fails on every rank, and names the ranks, if the
// ranks made different requests or one of them made an invalid one. If a rank does not arrive, the others
// fail after SORTLAST_ICET_TIMEOUT seconds (600), and so does that rank when it arrives. All ranks make the
// same collective calls of a context in the same order.
//
// Images are stored row by row from the lower left corner. Viewports are {x, y, width, height} [pixels].
// Matrices are 16 doubles, column by column, as in OpenGL. Colours are premultiplied by their alpha.
#ifndef SORTLAST_ICET_H
#define SORTLAST_ICET_H

#include <stdlib.h>

#include "IceTConfig.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Types -----------------------------------------------------------------------------------------

typedef IceTUnsignedInt32 IceTEnum;
typedef IceTUnsignedInt32 IceTBitField;
typedef IceTFloat64 IceTDouble;
typedef IceTFloat32 IceTFloat;
typedef IceTInt32 IceTInt;
typedef IceTUnsignedInt32 IceTUInt;
typedef IceTInt16 IceTShort;
typedef IceTUnsignedInt16 IceTUShort;
typedef IceTInt8 IceTByte;
typedef IceTUnsignedInt8 IceTUByte;
typedef IceTUnsignedInt8 IceTBoolean;
typedef void IceTVoid;
typedef IceTInt32 IceTSizeType;

#define ICET_NULL ((IceTEnum)0x0000)
#define ICET_BOOLEAN ((IceTEnum)0x8000)
#define ICET_BYTE ((IceTEnum)0x8001)
#define ICET_SHORT ((IceTEnum)0x8002)
#define ICET_INT ((IceTEnum)0x8003)
#define ICET_FLOAT ((IceTEnum)0x8004)
#define ICET_DOUBLE ((IceTEnum)0x8005)
#define ICET_POINTER ((IceTEnum)0x8008)
#define ICET_VOID ((IceTEnum)0x800F)
#define ICET_SIZE_TYPE ICET_INT

#define ICET_FALSE 0
#define ICET_TRUE 1

// ---- Communicators ---------------------------------------------------------------------------------

// A message in flight.
typedef struct IceTCommRequestStruct {
  IceTEnum magic_number;
  IceTVoid* internals;
}* IceTCommRequest;
#define ICET_COMM_REQUEST_NULL ((IceTCommRequest)NULL)

// The ranks that composite together, and their communication functions. Made by icetCreateMPICommunicator()
// (IceTMPI.h); a communicator with a program's own functions cannot be used for compositing. Counts are
// numbers of elements of a type above; sources, destinations and roots are ranks.
struct IceTCommunicatorStruct {
  struct IceTCommunicatorStruct* (*Duplicate)(struct IceTCommunicatorStruct* self);
  void (*Destroy)(struct IceTCommunicatorStruct* self);
  struct IceTCommunicatorStruct* (*Subset)(struct IceTCommunicatorStruct* self, int count,
                                           const IceTInt32* ranks);
  void (*Barrier)(struct IceTCommunicatorStruct* self);
  void (*Send)(struct IceTCommunicatorStruct* self, const void* buf, int count, IceTEnum datatype, int dest,
               int tag);
  void (*Recv)(struct IceTCommunicatorStruct* self, void* buf, int count, IceTEnum datatype, int src,
               int tag);
  void (*Sendrecv)(struct IceTCommunicatorStruct* self, const void* sendbuf, int sendcount, IceTEnum sendtype,
                   int dest, int sendtag, void* recvbuf, int recvcount, IceTEnum recvtype, int src,
                   int recvtag);
  void (*Gather)(struct IceTCommunicatorStruct* self, const void* sendbuf, int sendcount, IceTEnum datatype,
                 void* recvbuf, int root);
  void (*Gatherv)(struct IceTCommunicatorStruct* self, const void* sendbuf, int sendcount, IceTEnum datatype,
                  void* recvbuf, const int* recvcounts, const int* recvoffsets, int root);
  void (*Allgather)(struct IceTCommunicatorStruct* self, const void* sendbuf, int sendcount,
                    IceTEnum datatype, void* recvbuf);
  void (*Alltoall)(struct IceTCommunicatorStruct* self, const void* sendbuf, int sendcount, IceTEnum datatype,
                   void* recvbuf);
  IceTCommRequest (*Isend)(struct IceTCommunicatorStruct* self, const void* buf, int count, IceTEnum datatype,
                           int dest, int tag);
  IceTCommRequest (*Irecv)(struct IceTCommunicatorStruct* self, void* buf, int count, IceTEnum datatype,
                           int src, int tag);
  void (*Wait)(struct IceTCommunicatorStruct* self, IceTCommRequest* request);
  int (*Waitany)(struct IceTCommunicatorStruct* self, int count, IceTCommRequest* array_of_requests);
  int (*Comm_size)(struct IceTCommunicatorStruct* self);
  int (*Comm_rank)(struct IceTCommunicatorStruct* self);
  void* data;
};
typedef struct IceTCommunicatorStruct* IceTCommunicator;
#define ICET_COMM_NULL ((IceTCommunicator)NULL)

// ---- Contexts --------------------------------------------------------------------------------------

struct IceTContextStruct;
typedef struct IceTContextStruct* IceTContext;

// Make a context and make it current. Collective; `comm` is duplicated and may be destroyed at once. Returns
// NULL on errors. If not all ranks arrived in time, they may try again with the same `comm`.
ICET_EXPORT IceTContext icetCreateContext(IceTCommunicator comm);
ICET_EXPORT void icetDestroyContext(IceTContext context);
ICET_EXPORT IceTContext icetGetContext(void);
ICET_EXPORT void icetSetContext(IceTContext context);
// Copy the settings of one context to another, except for the composite order and the data replication group.
ICET_EXPORT void icetCopyState(IceTContext dest, const IceTContext src);

// Seconds on a monotonic clock.
ICET_EXPORT IceTDouble icetWallTime(void);

// ---- Geometry of this rank ---------------------------------------------------------------------------

// Points with a hull that contains everything that this rank draws: `count` points of `size` coordinates (1
// to 4) of `type`, `stride` bytes apart (0: consecutive). No points: the rank may draw anywhere. A box is
// eight points. A rank that draws nothing passes a point that is far away.
ICET_EXPORT void icetBoundingVertices(IceTInt size, IceTEnum type, IceTSizeType stride, IceTSizeType count,
                                      const IceTVoid* pointer);
ICET_EXPORT void icetBoundingBoxd(IceTDouble x_min, IceTDouble x_max, IceTDouble y_min, IceTDouble y_max,
                                  IceTDouble z_min, IceTDouble z_max);
ICET_EXPORT void icetBoundingBoxf(IceTFloat x_min, IceTFloat x_max, IceTFloat y_min, IceTFloat y_max,
                                  IceTFloat z_min, IceTFloat z_max);

// Ranks that hold the same data and share the drawing: a list that contains this rank, the same on all of
// them, or a colour that they have in common (collective). Lists are compared in the next frame.
ICET_EXPORT void icetDataReplicationGroup(IceTInt size, const IceTInt* processes);
ICET_EXPORT void icetDataReplicationGroupColor(IceTInt color);

// ---- Tiles -----------------------------------------------------------------------------------------

// The display: tiles of the global picture, each shown by one rank; no rank shows two. icetAddTile() returns
// the tile's number, or -1 on errors. The physical render size is the size of the window in which ranks draw.
// Whenever a tile is added, it becomes the size of the largest tile.
ICET_EXPORT void icetResetTiles(void);
ICET_EXPORT int icetAddTile(IceTInt x, IceTInt y, IceTSizeType width, IceTSizeType height, int display_rank);
ICET_EXPORT void icetPhysicalRenderSize(IceTInt width, IceTInt height);

// ---- Images ----------------------------------------------------------------------------------------

// An image of a context, valid until the context's next frame or its end; in a draw callback, until the
// callback returns.
typedef struct {
  IceTVoid* opaque_internals;
} IceTImage;

#define ICET_IMAGE_COLOR_NONE ((IceTEnum)0xC000)
#define ICET_IMAGE_COLOR_RGBA_UBYTE ((IceTEnum)0xC001)
#define ICET_IMAGE_COLOR_RGBA_FLOAT ((IceTEnum)0xC002)
#define ICET_IMAGE_COLOR_RGB_FLOAT ((IceTEnum)0xC003)
#define ICET_IMAGE_DEPTH_NONE ((IceTEnum)0xD000)
#define ICET_IMAGE_DEPTH_FLOAT ((IceTEnum)0xD001)

ICET_EXPORT void icetSetColorFormat(IceTEnum color_format);
ICET_EXPORT void icetSetDepthFormat(IceTEnum depth_format);

ICET_EXPORT IceTImage icetImageNull(void);
ICET_EXPORT IceTBoolean icetImageIsNull(const IceTImage image);
ICET_EXPORT IceTEnum icetImageGetColorFormat(const IceTImage image);
ICET_EXPORT IceTEnum icetImageGetDepthFormat(const IceTImage image);
ICET_EXPORT IceTSizeType icetImageGetWidth(const IceTImage image);
ICET_EXPORT IceTSizeType icetImageGetHeight(const IceTImage image);
ICET_EXPORT IceTSizeType icetImageGetNumPixels(const IceTImage image);

// Direct access to the pixels: ub is bytes, ui the four bytes of a pixel as one integer, f floats; c means
// const. NULL, with an error, if the image has another format. Depths are in 0..1; 1 is the farthest depth
// and marks pixels without content.
ICET_EXPORT IceTUByte* icetImageGetColorub(IceTImage image);
ICET_EXPORT IceTUInt* icetImageGetColorui(IceTImage image);
ICET_EXPORT IceTFloat* icetImageGetColorf(IceTImage image);
ICET_EXPORT IceTFloat* icetImageGetDepthf(IceTImage image);
ICET_EXPORT const IceTUByte* icetImageGetColorcub(const IceTImage image);
ICET_EXPORT const IceTUInt* icetImageGetColorcui(const IceTImage image);
ICET_EXPORT const IceTFloat* icetImageGetColorcf(const IceTImage image);
ICET_EXPORT const IceTFloat* icetImageGetDepthcf(const IceTImage image);

// Copy the pixels into the caller's memory, converted to the requested format.
ICET_EXPORT void icetImageCopyColorub(const IceTImage image, IceTUByte* color_buffer, IceTEnum color_format);
ICET_EXPORT void icetImageCopyColorf(const IceTImage image, IceTFloat* color_buffer, IceTEnum color_format);
ICET_EXPORT void icetImageCopyDepthf(const IceTImage image, IceTFloat* depth_buffer, IceTEnum depth_format);

// ---- Compositing -----------------------------------------------------------------------------------

#define ICET_STRATEGY_UNDEFINED ((IceTEnum)0x0000)
#define ICET_STRATEGY_DIRECT ((IceTEnum)0x6001)
#define ICET_STRATEGY_SEQUENTIAL ((IceTEnum)0x6002)
#define ICET_STRATEGY_SPLIT ((IceTEnum)0x6003)
#define ICET_STRATEGY_REDUCE ((IceTEnum)0x6004)
#define ICET_STRATEGY_VTREE ((IceTEnum)0x6005)
ICET_EXPORT void icetStrategy(IceTEnum strategy);
ICET_EXPORT const char* icetGetStrategyName(void);

#define ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC ((IceTEnum)0x7001)
#define ICET_SINGLE_IMAGE_STRATEGY_BSWAP ((IceTEnum)0x7002)
#define ICET_SINGLE_IMAGE_STRATEGY_TREE ((IceTEnum)0x7003)
#define ICET_SINGLE_IMAGE_STRATEGY_RADIXK ((IceTEnum)0x7004)
#define ICET_SINGLE_IMAGE_STRATEGY_RADIXKR ((IceTEnum)0x7005)
#define ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING ((IceTEnum)0x7006)
ICET_EXPORT void icetSingleImageStrategy(IceTEnum strategy);
ICET_EXPORT const char* icetGetSingleImageStrategyName(void);

#define ICET_COMPOSITE_MODE_Z_BUFFER ((IceTEnum)0x0301)
#define ICET_COMPOSITE_MODE_BLEND ((IceTEnum)0x0302)
ICET_EXPORT void icetCompositeMode(IceTEnum mode);

// All ranks from front to back. The order applies while ICET_ORDERED_COMPOSITE is enabled.
ICET_EXPORT void icetCompositeOrder(const IceTInt* process_ranks);

// ---- Frames ----------------------------------------------------------------------------------------

// Draw into `result`, which has the physical render size, with these matrices, over `background_color` (4
// floats). Pixels outside `readback_viewport` are ignored. If the callback makes another context current, the
// frame's context becomes current again afterwards.
typedef void (*IceTDrawCallbackType)(const IceTDouble* projection_matrix, const IceTDouble* modelview_matrix,
                                     const IceTFloat* background_color, const IceTInt* readback_viewport,
                                     IceTImage result);
ICET_EXPORT void icetDrawCallback(IceTDrawCallbackType callback);

// Draw and composite a frame; collective. Returns the tile that this rank displays, or the null image. The
// background must be the same on all ranks if the picture shows one: always, except when blending without
// ICET_CORRECT_COLORED_BACKGROUND, or without colours.
//
// Without ICET_COLLECT_IMAGES, the result is an image of the whole tile in which only this rank's pixels are
// valid: ICET_VALID_PIXELS_NUM of them, from ICET_VALID_PIXELS_OFFSET on, of the tile ICET_VALID_PIXELS_TILE
// (-1: none).
ICET_EXPORT IceTImage icetDrawFrame(const IceTDouble* projection_matrix, const IceTDouble* modelview_matrix,
                                    const IceTFloat* background_color);

// Same for images that have already been drawn: buffers of the size of the global viewport, in the formats
// that are set. `depth_buffer` may be NULL if there is no depth. `valid_pixels_viewport`: the part that was
// drawn; NULL: everything. The matrices are used only with the bounding vertices, and may be NULL without
// them.
ICET_EXPORT IceTImage icetCompositeImage(const IceTVoid* color_buffer, const IceTVoid* depth_buffer,
                                         const IceTInt* valid_pixels_viewport,
                                         const IceTDouble* projection_matrix,
                                         const IceTDouble* modelview_matrix,
                                         const IceTFloat* background_color);

// ---- Errors ----------------------------------------------------------------------------------------

#define ICET_NO_ERROR ((IceTEnum)0x00000000)
#define ICET_SANITY_CHECK_FAIL ((IceTEnum)0xFFFFFFFF)
#define ICET_INVALID_ENUM ((IceTEnum)0xFFFFFFFE)
#define ICET_BAD_CAST ((IceTEnum)0xFFFFFFFD)
#define ICET_OUT_OF_MEMORY ((IceTEnum)0xFFFFFFFC)
#define ICET_INVALID_OPERATION ((IceTEnum)0xFFFFFFFB)
#define ICET_INVALID_VALUE ((IceTEnum)0xFFFFFFFA)

// The most severe error since the last call; ICET_NO_ERROR if there was none.
ICET_EXPORT IceTEnum icetGetError(void);

#define ICET_DIAG_OFF ((IceTEnum)0x0000)
#define ICET_DIAG_ERRORS ((IceTEnum)0x0001)
#define ICET_DIAG_WARNINGS ((IceTEnum)0x0003)
#define ICET_DIAG_DEBUG ((IceTEnum)0x0007)
#define ICET_DIAG_ROOT_NODE ((IceTEnum)0x0000)
#define ICET_DIAG_ALL_NODES ((IceTEnum)0x0100)
#define ICET_DIAG_FULL ((IceTEnum)0xFFFF)

// Selects the messages printed on standard error: one of the levels, on rank 0 only or on all ranks. Default:
// warnings, on all ranks.
ICET_EXPORT void icetDiagnostics(IceTBitField mask);

// ---- State -----------------------------------------------------------------------------------------

// Parameters that can be queried. The number of values is in brackets if it is not one.
#define ICET_STATE_ENGINE_START ((IceTEnum)0x00000000)
#define ICET_DIAGNOSTIC_LEVEL ((IceTEnum)0x0001)
#define ICET_RANK ((IceTEnum)0x0002)
#define ICET_NUM_PROCESSES ((IceTEnum)0x0003)
#define ICET_BACKGROUND_COLOR ((IceTEnum)0x0005)       // passed to the callback [4]
#define ICET_BACKGROUND_COLOR_WORD ((IceTEnum)0x0006)  // as a pixel of bytes
#define ICET_PHYSICAL_RENDER_WIDTH ((IceTEnum)0x0007)
#define ICET_PHYSICAL_RENDER_HEIGHT ((IceTEnum)0x0008)
#define ICET_COLOR_FORMAT ((IceTEnum)0x0009)
#define ICET_DEPTH_FORMAT ((IceTEnum)0x000A)
#define ICET_NUM_TILES ((IceTEnum)0x0010)
#define ICET_TILE_VIEWPORTS ((IceTEnum)0x0011)   // [4 per tile]
#define ICET_GLOBAL_VIEWPORT ((IceTEnum)0x0012)  // the rectangle around all tiles [4]
#define ICET_TILE_MAX_WIDTH ((IceTEnum)0x0013)
#define ICET_TILE_MAX_HEIGHT ((IceTEnum)0x0014)
#define ICET_DISPLAY_NODES ((IceTEnum)0x001A)    // the rank that shows each tile [tiles]
#define ICET_TILE_DISPLAYED ((IceTEnum)0x001B)   // tile shown by this rank; -1: none
#define ICET_GEOMETRY_BOUNDS ((IceTEnum)0x0022)  // [3 per bounding vertex]
#define ICET_NUM_BOUNDING_VERTS ((IceTEnum)0x0023)
#define ICET_STRATEGY ((IceTEnum)0x0024)
#define ICET_SINGLE_IMAGE_STRATEGY ((IceTEnum)0x0025)
#define ICET_COMPOSITE_MODE ((IceTEnum)0x0028)
#define ICET_COMPOSITE_ORDER ((IceTEnum)0x0029)  // [ranks]
#define ICET_PROCESS_ORDERS ((IceTEnum)0x002A)   // the place of each rank in that order [ranks]
#define ICET_STRATEGY_SUPPORTS_ORDERING ((IceTEnum)0x002B)
#define ICET_DATA_REPLICATION_GROUP ((IceTEnum)0x002C)  // [its size]
#define ICET_DATA_REPLICATION_GROUP_SIZE ((IceTEnum)0x002D)
#define ICET_FRAME_COUNT ((IceTEnum)0x002E)
#define ICET_MAGIC_K ((IceTEnum)0x0040)
#define ICET_MAX_IMAGE_SPLIT ((IceTEnum)0x0041)
#define ICET_DRAW_FUNCTION ((IceTEnum)0x0060)  // pointer

// Parameters of the current frame or, outside a frame, of the last one.
#define ICET_STATE_FRAME_START ((IceTEnum)0x00000080)
#define ICET_IS_DRAWING_FRAME ((IceTEnum)0x0080)
#define ICET_PROJECTION_MATRIX ((IceTEnum)0x0081)   // [16]
#define ICET_MODELVIEW_MATRIX ((IceTEnum)0x0082)    // [16]
#define ICET_CONTAINED_VIEWPORT ((IceTEnum)0x0083)  // where this rank draws [4]
#define ICET_NEAR_DEPTH ((IceTEnum)0x0084)          // of the bounding vertices, -1..1
#define ICET_FAR_DEPTH ((IceTEnum)0x0085)
#define ICET_NUM_CONTAINED_TILES ((IceTEnum)0x0086)
#define ICET_CONTAINED_TILES_LIST ((IceTEnum)0x0087)       // tiles in which this rank draws [their number]
#define ICET_CONTAINED_TILES_MASK ((IceTEnum)0x0088)       // [tiles]
#define ICET_ALL_CONTAINED_TILES_MASKS ((IceTEnum)0x0089)  // if there are several tiles [ranks x tiles, or 0]
#define ICET_TILE_CONTRIB_COUNTS ((IceTEnum)0x008A)        // ranks that draw in each of several tiles [tiles]
#define ICET_TOTAL_IMAGE_COUNT ((IceTEnum)0x008B)          // their sum
#define ICET_NEED_BACKGROUND_CORRECTION ((IceTEnum)0x008C)
#define ICET_TRUE_BACKGROUND_COLOR ((IceTEnum)0x008D)  // requested for the frame [4]
#define ICET_TRUE_BACKGROUND_COLOR_WORD ((IceTEnum)0x008E)
#define ICET_VALID_PIXELS_TILE ((IceTEnum)0x0098)
#define ICET_VALID_PIXELS_OFFSET ((IceTEnum)0x0099)
#define ICET_VALID_PIXELS_NUM ((IceTEnum)0x009A)
#define ICET_RENDERED_VIEWPORT ((IceTEnum)0x00A0)  // part of the picture that the last callback drew [4]
#define ICET_PRE_RENDERED ((IceTEnum)0x00A2)

// Seconds of the last frame on this rank by phase, and the bytes that it sent.
#define ICET_STATE_TIMING_START ((IceTEnum)0x000000C0)
#define ICET_RENDER_TIME ((IceTEnum)0x00C1)        // in the draw callback
#define ICET_BUFFER_READ_TIME ((IceTEnum)0x00C2)   // copying drawn pixels to the compositor's memory
#define ICET_BUFFER_WRITE_TIME ((IceTEnum)0x00C3)  // showing the picture in an OpenGL window
#define ICET_COMPRESS_TIME ((IceTEnum)0x00C4)   // marking pixels in which nothing was drawn, and filling them
#define ICET_INTERLACE_TIME ((IceTEnum)0x00C5)  // 0: interlacing has no cost of its own
#define ICET_COMPARE_TIME ((IceTEnum)0x00C6)    // blending
#define ICET_BLEND_TIME ICET_COMPARE_TIME
#define ICET_COMPOSITE_TIME ((IceTEnum)0x00C7)  // all except drawing, reading and writing
#define ICET_COLLECT_TIME ((IceTEnum)0x00C8)
#define ICET_TOTAL_DRAW_TIME ((IceTEnum)0x00C9)
#define ICET_BYTES_SENT ((IceTEnum)0x00CA)

#define ICET_RENDER_LAYER_STATE_START ((IceTEnum)0x00000100)
#define ICET_RENDER_LAYER_STATE_END ((IceTEnum)0x00000140)

// Flags that can be enabled and disabled. The default is in brackets.
#define ICET_STATE_ENABLE_START ((IceTEnum)0x00000140)
#define ICET_STATE_ENABLE_END ((IceTEnum)0x00000180)
#define ICET_FLOATING_VIEWPORT \
  ((IceTEnum)0x0141)  // draw content of several tiles once, if it fits into the window [on]
#define ICET_ORDERED_COMPOSITE ((IceTEnum)0x0142)           // blend in the composite order [off]
#define ICET_CORRECT_COLORED_BACKGROUND ((IceTEnum)0x0143)  // blend the background behind the picture [off]
#define ICET_COMPOSITE_ONE_BUFFER \
  ((IceTEnum)0x0144)  // accepted but ignored: formats determine the content [on]
#define ICET_INTERLACE_IMAGES \
  ((IceTEnum)0x0145)  // divide images into interleaved blocks, if that is predicted to be faster [on]
#define ICET_COLLECT_IMAGES ((IceTEnum)0x0146)  // send tiles to the ranks that display them [on]
#define ICET_RENDER_EMPTY_IMAGES \
  ((IceTEnum)0x0147)  // call the callback even if there is nothing to draw [off]
#define ICET_RENDER_LAYER_ENABLE_START ((IceTEnum)0x0170)
#define ICET_RENDER_LAYER_ENABLE_END ICET_STATE_ENABLE_END

#define ICET_STATE_SIZE ((IceTEnum)0x00000200)
#define ICET_STATE_ENGINE_END ICET_STATE_SIZE

// Write the values of `pname`, converted, to `params`, which must have room for all of them.
//
// Errors: ICET_INVALID_ENUM for an unknown name, ICET_BAD_CAST if its values are of another kind.
ICET_EXPORT void icetGetDoublev(IceTEnum pname, IceTDouble* params);
ICET_EXPORT void icetGetFloatv(IceTEnum pname, IceTFloat* params);
ICET_EXPORT void icetGetIntegerv(IceTEnum pname, IceTInt* params);
ICET_EXPORT void icetGetBooleanv(IceTEnum pname, IceTBoolean* params);
ICET_EXPORT void icetGetEnumv(IceTEnum pname, IceTEnum* params);
ICET_EXPORT void icetGetBitFieldv(IceTEnum pname, IceTBitField* bitfield);
ICET_EXPORT void icetGetPointerv(IceTEnum pname, IceTVoid** params);

ICET_EXPORT void icetEnable(IceTEnum pname);
ICET_EXPORT void icetDisable(IceTEnum pname);
ICET_EXPORT IceTBoolean icetIsEnabled(IceTEnum pname);

#ifdef __cplusplus
}
#endif

#endif
