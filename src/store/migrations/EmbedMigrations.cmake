# SPDX-License-Identifier: Apache-2.0
# Puts the SQL of migrations into the program, so that it needs no file beside it.

# convene_embed_migrations(<database> <output> <file>...)
#
# Writes a source that defines convene::<database>::known_migrations(). The files are named NNNN_<subject>.sql, from 0001 on, in order.
function(convene_embed_migrations database output)
    set(migrations "")
    set(expected 0)
    foreach(file IN LISTS ARGN)
        math(EXPR expected "${expected} + 1")
        cmake_path(GET file FILENAME name)
        string(REGEX MATCH "^0*([0-9]+)_" ignored "${name}")
        if(NOT CMAKE_MATCH_1 EQUAL expected)
            message(FATAL_ERROR "${name}: migrations are numbered without gaps; expected ${expected}")
        endif()
        file(READ "${file}" sql)
        string(APPEND migrations "        {${expected}, \"${name}\", R\"sql(${sql})sql\"},\n")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    endforeach()
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/known_migrations.cpp.in" "${output}" @ONLY)
endfunction()
