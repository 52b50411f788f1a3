# SPDX-License-Identifier: Apache-2.0
# The functions that declare our targets: libraries, programs, tests, fuzz targets. Source lists are explicit.

# The names of the libraries that the installed package contains.
set_property(GLOBAL PROPERTY CONVENE_INSTALLED_LIBRARIES "")
# Every test source that belongs to a target; see convene_check_tests_are_registered.
set_property(GLOBAL PROPERTY CONVENE_TEST_SOURCES "")

# `cmake --build … --target headers_alone` compiles by itself every header of ours that no source includes first.
add_custom_target(headers_alone)

# What all our targets have in common. `src/` and `tests/` are the roots of quoted includes ("room/lane.hpp",
# "support/…"); they stay private, so that an embedding project sees include/ and nothing else.
function(_convene_setup_target target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} PRIVATE "${convene_SOURCE_DIR}/src")
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:convene_project_options>)
    set_target_properties(
        ${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${convene_BINARY_DIR}/bin"
                             ARCHIVE_OUTPUT_DIRECTORY "${convene_BINARY_DIR}/lib"
    )
endfunction()

# One translation unit per header that includes it and nothing else. A header that one of the library's sources
# includes before anything else stands alone already where that source compiles.
function(_convene_check_headers_alone target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS")
    set(proven "")
    foreach(source IN LISTS arg_SOURCES)
        file(STRINGS "${source}" first REGEX "^#include" LIMIT_COUNT 1)
        if(first MATCHES "^#include \"(.*)\"")
            list(APPEND proven "${CMAKE_MATCH_1}")
        endif()
    endforeach()
    list(REMOVE_ITEM arg_HEADERS ${proven})
    set(units "")
    foreach(header IN LISTS arg_HEADERS)
        string(MAKE_C_IDENTIFIER "${header}" unit)
        set(unit "${convene_BINARY_DIR}/headers_alone/${unit}.cpp")
        file(CONFIGURE OUTPUT "${unit}" CONTENT "#include \"${header}\"\n")
        list(APPEND units "${unit}")
    endforeach()
    if(units)
        add_library(${target}_headers_alone OBJECT EXCLUDE_FROM_ALL ${units})
        _convene_setup_target(${target}_headers_alone)
        target_link_libraries(${target}_headers_alone PRIVATE ${target})
        add_dependencies(headers_alone ${target}_headers_alone)
    endif()
endfunction()

# convene_add_library(
#     NAME <layer>               the target is convene_<layer>, its alias convene::<layer>
#     [NOT_INSTALLED]            not part of the package (the program's own code)
#     [SOURCES <file>...]        relative to this folder
#     [HEADERS <file>...]        internal headers, relative to this folder
#     [PUBLIC_HEADERS <file>...] relative to include/; a public header belongs to the layer that lists it
#     [PUBLIC_LINKS <target>...] what the public headers need
#     [LINKS <target>...]        what only the sources need
# )
function(convene_add_library)
    cmake_parse_arguments(
        PARSE_ARGV 0 arg "NOT_INSTALLED" "NAME" "SOURCES;HEADERS;PUBLIC_HEADERS;PUBLIC_LINKS;LINKS"
    )
    set(target convene_${arg_NAME})
    if(NOT arg_SOURCES)
        # A layer without sources yet is an empty archive.
        file(CONFIGURE OUTPUT empty.cpp CONTENT "")
        list(APPEND arg_SOURCES "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
    endif()
    add_library(${target} STATIC ${arg_SOURCES} ${arg_HEADERS})
    add_library(convene::${arg_NAME} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME})
    _convene_setup_target(${target})
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC_LINKS} PRIVATE ${arg_LINKS})

    list(TRANSFORM arg_PUBLIC_HEADERS PREPEND "${convene_SOURCE_DIR}/include/"
         OUTPUT_VARIABLE public_headers
    )
    target_sources(
        ${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${convene_SOURCE_DIR}/include" FILES
                         ${public_headers}
    )
    cmake_path(
        RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${convene_SOURCE_DIR}/src"
        OUTPUT_VARIABLE folder
    )
    list(TRANSFORM arg_HEADERS PREPEND "${folder}/" OUTPUT_VARIABLE internal_headers)
    _convene_check_headers_alone(
        ${target} SOURCES ${arg_SOURCES} HEADERS ${arg_PUBLIC_HEADERS} ${internal_headers}
    )

    if(NOT arg_NOT_INSTALLED)
        set_property(GLOBAL APPEND PROPERTY CONVENE_INSTALLED_LIBRARIES ${target})
    endif()
endfunction()

# convene_embed_files(<library> <function> <file>...)
#
# Compiles text files (migrations) into a library, in the order given. The library's code declares, and finds
# defined here:
#
#     // The (name, content) of each file.
#     std::span<const std::pair<std::string_view, std::string_view>> convene::<function>();
function(convene_embed_files library function)
    set(entries "")
    foreach(file IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
        file(READ "${file}" content)
        cmake_path(GET file FILENAME name)
        string(APPEND entries "    {\"${name}\", R\"embedded(${content})embedded\"},\n")
    endforeach()
    string(
        CONCAT
        code
        "#include <span>\n#include <string_view>\n#include <utility>\n\n"
        "namespace convene {\n\n"
        "using embedded_file = std::pair<std::string_view, std::string_view>;\n"
        "std::span<const embedded_file> ${function}();\n\n"
        "static constexpr embedded_file files[] = {\n${entries}};\n\n"
        "std::span<const embedded_file> ${function}() { return files; }\n\n"
        "}  // namespace convene\n"
    )
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
    # Rewritten only when it differs, and never through `configure`, which would expand what looks like a variable.
    set(existing "")
    if(EXISTS "${unit}")
        file(READ "${unit}" existing)
    endif()
    if(NOT existing STREQUAL code)
        file(WRITE "${unit}" "${code}")
    endif()
    target_sources(convene_${library} PRIVATE "${unit}")
endfunction()

# convene_add_program(NAME <target> SOURCES <file>... [LINKS <target>...])
#
# An executable that is found in <build>/bin.
function(convene_add_program)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LINKS")
    add_executable(${arg_NAME} ${arg_SOURCES})
    _convene_setup_target(${arg_NAME})
    target_link_libraries(${arg_NAME} PRIVATE ${arg_LINKS})
endfunction()

# convene_add_test(
#     NAME <target>        one executable for the test files of one folder: unit_room, store_conformance, ...
#     LAYER <layer>        the highest layer under test; the ones below come with it
#     LABELS <label>...    unit, store, cli, concurrency, ...: how ctest and the CI stages select
#     SOURCES <file>...
#     [LINKS <target>...]  more than the layer, test support and GoogleTest
#     [TIMEOUT <seconds>]  of a single case; 60 by default
#     [SHARDS <number>]    how many parts a program with many cases has where it is run as a whole; 1 by default
# )
#
# Each case is a ctest test `<target>.<Suite>.<Case>`, so that one can be asked for by its name. With CONVENE_TEST_PROGRAMS a
# program is one, or as many as it has shards: under sanitizers it takes longer to start than most cases run. What it ran
# is in reports/cases then. `tests_<label>` builds everything that carries a label.
option(CONVENE_TEST_PROGRAMS "Run the cases of a test program in one process" OFF)

function(convene_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LAYER;TIMEOUT;SHARDS" "LABELS;SOURCES;LINKS;FIXTURES")
    foreach(label IN LISTS arg_LABELS)
        if(NOT TARGET tests_${label})
            add_custom_target(tests_${label})
        endif()
    endforeach()
    if(NOT arg_SOURCES)
        # The folder has no tests yet.
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    convene_add_program(
        NAME ${arg_NAME}
        SOURCES ${arg_SOURCES}
        LINKS convene::${arg_LAYER} convene::test_support GTest::gmock GTest::gtest_main ${arg_LINKS}
    )
    target_include_directories(${arg_NAME} PRIVATE "${convene_SOURCE_DIR}/tests")
    if(CONVENE_TEST_PROGRAMS)
        convene_add_whole_program()
    else()
        gtest_discover_tests(
            ${arg_NAME}
            TEST_PREFIX "${arg_NAME}."
            # Listing the cases runs the program once; on a busy machine that may take a while.
            DISCOVERY_TIMEOUT 60
            PROPERTIES
                LABELS "${arg_LABELS}"
                TIMEOUT ${arg_TIMEOUT}
                FIXTURES_REQUIRED "${arg_FIXTURES}"
                ENVIRONMENT "CONVENE_TEST_POSTGRES=${convene_test_postgres}"
        )
    endif()
    foreach(label IN LISTS arg_LABELS)
        add_dependencies(tests_${label} ${arg_NAME})
    endforeach()
    list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    set_property(GLOBAL APPEND PROPERTY CONVENE_TEST_SOURCES ${arg_SOURCES})
endfunction()

# Of convene_add_test, whose arguments it reads.
macro(convene_add_whole_program)
    if(NOT arg_SHARDS)
        set(arg_SHARDS 1)
    endif()
    math(EXPR last_shard "${arg_SHARDS} - 1")
    foreach(shard RANGE ${last_shard})
        set(test_name ${arg_NAME}.${shard})
        add_test(
            NAME ${test_name}
            COMMAND ${arg_NAME} --gtest_brief=1
                    --gtest_output=xml:${CMAKE_BINARY_DIR}/reports/cases/${test_name}.xml
        )
        set_tests_properties(
            ${test_name}
            PROPERTIES
                LABELS "${arg_LABELS}"
                TIMEOUT 1200
                FIXTURES_REQUIRED "${arg_FIXTURES}"
                ENVIRONMENT
                    "CONVENE_TEST_POSTGRES=${convene_test_postgres};GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}"
        )
    endforeach()
endmacro()

# A test file that no target names would pass for ever by never running: refuse to configure.
function(convene_check_tests_are_registered)
    file(GLOB_RECURSE unregistered "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
    get_property(registered GLOBAL PROPERTY CONVENE_TEST_SOURCES)
    list(REMOVE_ITEM unregistered ${registered})
    if(unregistered)
        list(JOIN unregistered "\n  " names)
        message(FATAL_ERROR "These tests are in no CMakeLists.txt and would never run:\n  ${names}")
    endif()
endfunction()

# convene_add_fuzzer(NAME <target> LAYER <layer> SOURCES <file>...)
#
# A libFuzzer target. Its ctest test replays regressions/<target>/, then searches for a few seconds.
function(convene_add_fuzzer)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LAYER" "SOURCES")
    convene_add_program(NAME ${arg_NAME} SOURCES ${arg_SOURCES} LINKS convene::${arg_LAYER})
    target_compile_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
    target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
    if(NOT TARGET fuzzers)
        add_custom_target(fuzzers)
    endif()
    add_dependencies(fuzzers ${arg_NAME})
    # The first folder is where the fuzzer keeps what it finds; it reads the others.
    set(found "${CMAKE_CURRENT_BINARY_DIR}/corpus/${arg_NAME}")
    file(MAKE_DIRECTORY "${found}")
    add_test(
        NAME fuzz.${arg_NAME}
        COMMAND ${arg_NAME} -max_total_time=${CONVENE_FUZZ_SECONDS} -print_final_stats=1 "${found}"
                "${CMAKE_CURRENT_SOURCE_DIR}/regressions/${arg_NAME}"
    )
    math(EXPR limit "${CONVENE_FUZZ_SECONDS} + 120")
    set_tests_properties(fuzz.${arg_NAME} PROPERTIES LABELS fuzz TIMEOUT ${limit})
endfunction()
