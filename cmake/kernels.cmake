# Blend kernels, compiled once for each instruction set; image/blend.cpp chooses at run time.
