# Compares the binary interface of the C headers in HEADERS with RECORDED, by libabigail; with RECORD it writes that
# file. Functions may be added; none may go or change, nor a type that they take. That the libraries hold the
# functions of the headers is another test: install_symbols.
find_program(ABIDW abidw)
find_program(ABIDIFF abidiff)
if(NOT ABIDW OR NOT ABIDIFF)
  message(FATAL_ERROR "abidw and abidiff are missing; install libabigail's tools (Debian: abigail-tools)")
endif()

# A library of empty functions as the headers declare them, because the real one, in C++, holds many more types.
file(REMOVE_RECURSE ${WORK})
set(sources)
file(GLOB headers ${HEADERS}/sortlast*.h)
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "(\n[a-z][^;{}()#]*sortlast_[a-z0-9_]+[(][^;{}]*[)]);" "\\1 { __builtin_trap(); }" text "${text}")
  get_filename_component(name ${header} NAME_WE)
  file(WRITE ${WORK}/${name}.c "${text}")
  list(APPEND sources ${WORK}/${name}.c)
endforeach()
list(TRANSFORM MPI_INCLUDES PREPEND -I)
execute_process(COMMAND ${CC} -std=c99 -g -fPIC -shared -ffile-prefix-map=${WORK}/= -I${HEADERS} ${MPI_INCLUDES} ${sources} -o ${WORK}/interface.so
                COMMAND_ERROR_IS_FATAL ANY)
set(found ${WORK}/interface.abi)
execute_process(COMMAND ${ABIDW} --no-show-locs --no-corpus-path --no-comp-dir-path --out-file ${found} ${WORK}/interface.so
                COMMAND_ERROR_IS_FATAL ANY)

if(RECORD)
  file(COPY_FILE ${found} ${RECORDED})
  return()
endif()
execute_process(COMMAND ${ABIDIFF} --no-added-syms ${RECORDED} ${found} RESULT_VARIABLE status OUTPUT_VARIABLE said
                ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "programs built with the recorded C interface do not run with this one:\n${said}"
    "If that is meant, count up the version and record it anew: ./run record-abi")
endif()
