// IceTGL.h: frames of IceT's interface that are drawn by OpenGL 1 and shown in its window. OpenGL is looked
// for in the program when the first of these functions needs it; the library is linked with none.
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

// Add OpenGL to the current context. The others are an ICET_INVALID_OPERATION before it.
ICET_GL_EXPORT void icetGLInitialize(void);
ICET_GL_EXPORT IceTBoolean icetGLIsInitialized(void);

// The colour buffer that is read, and in which pictures are shown: GL_FRONT, GL_BACK (the default), ...
ICET_GL_EXPORT void icetGLSetReadBuffer(GLenum mode);

// Draw with the current matrices, over the current clear colour, in the current viewport.
typedef void (*IceTGLDrawCallbackType)(void);
ICET_GL_EXPORT void icetGLDrawCallback(IceTGLDrawCallbackType callback);

// icetDrawFrame() with the matrices, clear colour and viewport of OpenGL.
ICET_GL_EXPORT IceTImage icetGLDrawFrame(void);

#define ICET_GL_STATE_START ICET_RENDER_LAYER_STATE_START
#define ICET_GL_STATE_END ICET_RENDER_LAYER_STATE_END
#define ICET_GL_INITIALIZED ((IceTEnum)0x0101)
#define ICET_GL_READ_BUFFER ((IceTEnum)0x0110)
#define ICET_GL_DRAW_FUNCTION ((IceTEnum)0x0120)  // a pointer

#define ICET_GL_STATE_ENABLE_START ICET_RENDER_LAYER_ENABLE_START
#define ICET_GL_STATE_ENABLE_END ICET_RENDER_LAYER_ENABLE_END
#define ICET_GL_DISPLAY ((IceTEnum)0x0170)  // show the tile in the window of the rank that displays it [on]
#define ICET_GL_DISPLAY_COLORED_BACKGROUND \
  ((IceTEnum)0x0171)                                // blend what is shown over the clear colour [off]
#define ICET_GL_DISPLAY_INFLATE ((IceTEnum)0x0172)  // enlarge what is shown to the window [off]
#define ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE ((IceTEnum)0x0173)  // kept, and without effect [on]

#ifdef __cplusplus
}
#endif

#endif
