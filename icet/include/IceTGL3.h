// IceTGL3.h: frames of IceT's interface that OpenGL 3 draws into a framebuffer. The library is linked with no
// OpenGL; the first of these functions that needs it looks it up in the program.
#ifndef SORTLAST_ICET_GL3_H
#define SORTLAST_ICET_GL3_H

#include "IceT.h"

#ifdef __cplusplus
extern "C" {
#endif

// Add OpenGL 3 to the current context. Before that, the other functions are an ICET_INVALID_OPERATION.
ICET_GL3_EXPORT void icetGL3Initialize(void);
ICET_GL3_EXPORT IceTBoolean icetGL3IsInitialized(void);

// Draw into the framebuffer object, which has a colour and a depth buffer of the physical render size.
typedef void (*IceTGL3DrawCallbackTextureType)(const IceTDouble* projection_matrix,
                                               const IceTDouble* modelview_matrix,
                                               const IceTInt* readback_viewport, IceTUInt framebuffer_id);
ICET_GL3_EXPORT void icetGL3DrawCallbackTexture(IceTGL3DrawCallbackTextureType callback);

// icetDrawFrame() with that callback, in the current physical render size, over the background (0, 0, 0, 0).
ICET_GL3_EXPORT IceTImage icetGL3DrawFrame(const IceTDouble* projection_matrix,
                                           const IceTDouble* modelview_matrix);

#define ICET_GL3_STATE_START ICET_RENDER_LAYER_STATE_START
#define ICET_GL3_STATE_END ICET_RENDER_LAYER_STATE_END
#define ICET_GL3_INITIALIZED ((IceTEnum)0x0101)
#define ICET_GL3_DRAW_FUNCTION ((IceTEnum)0x0120)  // pointer
#define ICET_GL3_STATE_ENABLE_START ICET_RENDER_LAYER_ENABLE_START
#define ICET_GL3_STATE_ENABLE_END ICET_RENDER_LAYER_ENABLE_END

#ifdef __cplusplus
}
#endif

#endif
