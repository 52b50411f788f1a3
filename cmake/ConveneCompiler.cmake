# SPDX-License-Identifier: Apache-2.0
# Which compilers are accepted, and the options every target of ours is built with.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    message(
        FATAL_ERROR
            "g++ ${CMAKE_CXX_COMPILER_VERSION} is refused: before version 13 it miscompiles ordinary coroutine "
            "code without a warning (temporaries in a statement that awaits are destroyed twice). "
            "Use clang 19, the compiler of record: cmake --preset dev, or -DCMAKE_CXX_COMPILER=clang++-19."
    )
endif()

# The dialect is standard C++, in our targets and, when we are the project, by default.
set(CMAKE_CXX_EXTENSIONS OFF)

option(CONVENE_WERROR "Treat warnings as errors; on in our presets, never by default" OFF)
option(CONVENE_MUTANTS "Compile the deliberate defects that the simulation must find" OFF)
set(CONVENE_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=<this>")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(CONVENE_CCACHE ccache)
    mark_as_advanced(CONVENE_CCACHE)
    if(CONVENE_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CONVENE_CCACHE}")
    endif()
endif()

# convene_project_options: warnings, sanitizers and build-wide definitions. Linked privately by everything we
# build and never installed, so that a user's newer compiler does not break on our warnings.
add_library(convene_project_options INTERFACE)
target_compile_options(
    convene_project_options
    INTERFACE -Wall
              -Wextra
              -Wpedantic
              -Wconversion
              -Wshadow
              -Wnon-virtual-dtor
              -Wold-style-cast
              $<$<BOOL:${CONVENE_WERROR}>:-Werror>
)
target_compile_definitions(
    convene_project_options INTERFACE $<$<BOOL:${CONVENE_MUTANTS}>:CONVENE_MUTANTS>
)
if(CONVENE_SANITIZE)
    target_compile_options(
        convene_project_options INTERFACE -fsanitize=${CONVENE_SANITIZE} -fno-sanitize-recover=all
                                          -fno-omit-frame-pointer
    )
    target_link_options(convene_project_options INTERFACE -fsanitize=${CONVENE_SANITIZE})
endif()
