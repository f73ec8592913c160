# Files of pkg-config name folders that were given as absolute paths, and libraries that the compiler links by their
# full path, as they are. A build with no option of ours treats no warning as an error.
include(${ENVIRONMENT})
file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/linked.cmake "list(APPEND CMAKE_CXX_IMPLICIT_LINK_LIBRARIES /compiler/libcxx.a)\n")
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build ${tools} -DCMAKE_PROJECT_sortlast_INCLUDE=${WORK}/linked.cmake
    -DSORTLAST_BUILD_MPI=OFF -DSORTLAST_BUILD_TESTS=OFF -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/here
    -DCMAKE_INSTALL_LIBDIR=/far/lib -DCMAKE_INSTALL_INCLUDEDIR=/far/include)
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message(FATAL_ERROR "pkg-config is missing; install it (Debian: pkgconf)")
endif()
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${WORK}/build/sortlast_core.pc OUTPUT_VARIABLE options
                COMMAND_ERROR_IS_FATAL ANY)
foreach(option IN ITEMS -I/far/include -L/far/lib /compiler/libcxx.a)
  if(NOT " ${options}" MATCHES " ${option}[ \n]")
    message(SEND_ERROR "expected the option ${option} among: ${options}")
  endif()
endforeach()
file(STRINGS ${WORK}/build/compile_commands.json strict REGEX "-Werror")
if(strict)
  message(FATAL_ERROR "warnings are errors by default: ${strict}")
endif()
