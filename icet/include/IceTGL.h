// IceTGL.h: frames of IceT's interface that OpenGL 1 draws and shows in its window. The library is linked
// with no OpenGL; the first of these functions that needs it looks it up in the program.
#ifndef SORTLAST_ICET_GL_H
#define SORTLAST_ICET_GL_H

#include "IceT.h"

#if !defined(__has_include)
#include <GL/gl.h>
#elif __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned int GLenum;
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Add OpenGL to the current context. Before that, the other functions are an ICET_INVALID_OPERATION.
ICET_GL_EXPORT void icetGLInitialize(void);
ICET_GL_EXPORT IceTBoolean icetGLIsInitialized(void);

// The colour buffer from which pixels are read, and in which pictures are shown: GL_FRONT, GL_BACK (the
// default), ...
ICET_GL_EXPORT void icetGLSetReadBuffer(GLenum mode);

// Draw with the current matrices, over the current clear colour, in the current viewport.
typedef void (*IceTGLDrawCallbackType)(void);
ICET_GL_EXPORT void icetGLDrawCallback(IceTGLDrawCallbackType callback);

// icetDrawFrame() with OpenGL's matrices, clear colour and viewport.
ICET_GL_EXPORT IceTImage icetGLDrawFrame(void);

#define ICET_GL_STATE_START ICET_RENDER_LAYER_STATE_START
#define ICET_GL_STATE_END ICET_RENDER_LAYER_STATE_END
#define ICET_GL_INITIALIZED ((IceTEnum)0x0101)
#define ICET_GL_READ_BUFFER ((IceTEnum)0x0110)
#define ICET_GL_DRAW_FUNCTION ((IceTEnum)0x0120)  // pointer

#define ICET_GL_STATE_ENABLE_START ICET_RENDER_LAYER_ENABLE_START
#define ICET_GL_STATE_ENABLE_END ICET_RENDER_LAYER_ENABLE_END
#define ICET_GL_DISPLAY ((IceTEnum)0x0170)  // show the tile in the window of the rank that displays it [on]
#define ICET_GL_DISPLAY_COLORED_BACKGROUND \
  ((IceTEnum)0x0171)                                // blend the picture over the clear colour [off]
#define ICET_GL_DISPLAY_INFLATE ((IceTEnum)0x0172)  // enlarge the picture to the size of the window [off]
#define ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE ((IceTEnum)0x0173)  // accepted but ignored [on]

#ifdef __cplusplus
}
#endif

#endif
