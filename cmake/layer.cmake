# kz_layer(name): the static library kz_<name> of all sources in this folder, seen by includes as
# "<name>/<header>". It links what layers.txt says. Sources ending in _test.c beside them are unit tests (cmocka).
#
# kz_link_layer(target layer): links what layers.txt lets the layer use, libraries of others included.
#
# kz_layers_of(out layer): the layer and all that it uses, by layers.txt. Object libraries that belong to a layer's
# library are its property KZ_PARTS.
#
# Folders inside the layer sort its files by subject: FOLDERS names them.
#
# COOL says that a layer waits for people, files and compilers: it is compiled quickly (-O1, and with sanitizers -O0),
# as unit tests are, and `make test` runs its unit tests with the sanitizers alone (label `once`); those of the others
# run optimised too. WARM: quickly with sanitizers alone; the tests spend their time elsewhere.
#
# kz_unit_test(NAME name SOURCE files LINKS ...): one cmocka program, run from the project's root
# and labelled `unit`. The target unit_tests builds them all. ONCE: as those of a layer that is COOL.

# Reads layers.txt: KZ_LAYERS in their order, KZ_LINKS_<layer> and, for libraries of others, KZ_FOREIGN_<layer>.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/layers.txt)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/layers.txt _rows REGEX "^[a-z]")
set(KZ_LAYERS)
foreach(_row ${_rows})
    string(REGEX REPLACE " *[|].*" "" _row "${_row}")
    string(REGEX MATCHALL "[^ ]+" _words "${_row}")
    list(POP_FRONT _words _layer)
    if(_layer STREQUAL foreign)
        list(POP_FRONT _words _name _header _prefix _file)
        string(TOUPPER KZ_${_name} _name)
        find_library(${_name} NAMES lib${_file}.a ${_file} REQUIRED) # static where there is one
        foreach(_layer ${_words})
            list(APPEND KZ_FOREIGN_${_layer} ${${_name}})
        endforeach()
    else()
        list(APPEND KZ_LAYERS ${_layer})
        set(KZ_LINKS_${_layer} ${_words})
    endif()
endforeach()

function(kz_link_layer target layer)
    foreach(used ${KZ_LINKS_${layer}})
        target_link_libraries(${target} PUBLIC kz_${used})
    endforeach()
    target_link_libraries(${target} PUBLIC ${KZ_FOREIGN_${layer}} m pthread)
endfunction()

function(kz_layers_of out layer)
    set(used ${layer})
    set(rows ${KZ_LAYERS})
    list(REVERSE rows)
    foreach(row ${rows}) # a row names only rows above it, so once through is enough
        if(row IN_LIST used)
            list(APPEND used ${KZ_LINKS_${row}})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES used)
    set(${out} ${used} PARENT_SCOPE)
endfunction()

add_custom_target(unit_tests)
if(NOT CMAKE_CROSSCOMPILING) # a cross compiler looks for a linker of its own
    find_program(KZ_LLD ld.lld) # links the many programs of the tests in half the time
endif()

function(kz_compile_quickly target)
    if(KZ_SANITIZE)
        target_compile_options(${target} PRIVATE -O0)
    else()
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
endfunction()

function(kz_sanitize_quickly target)
    if(KZ_SANITIZE)
        kz_compile_quickly(${target})
    endif()
endfunction()

function(kz_unit_test)
    cmake_parse_arguments(unit "ONCE" "NAME" "SOURCE;LINKS" ${ARGN})
    string(REPLACE "/" "_" target ${unit_NAME})
    add_executable(${target} ${unit_SOURCE})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(${target} PRIVATE ${unit_LINKS} cmocka)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests) # unit.h
    if(KZ_LLD AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
        target_link_options(${target} PRIVATE -fuse-ld=lld)
    endif()
    kz_compile_quickly(${target})
    add_dependencies(unit_tests ${target})
    add_test(NAME ${unit_NAME} COMMAND ${target} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    # The limit is for what hangs: a busy machine is slow, and an emulator ten times as slow.
    set_tests_properties(${unit_NAME} PROPERTIES LABELS unit TIMEOUT 1200 SKIP_RETURN_CODE 77)
    if(unit_ONCE)
        set_tests_properties(${unit_NAME} PROPERTIES LABELS "unit;once")
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
    if(unit_NAME MATCHES "^(course/grade_(c|program)|bench/(run|micro)|observe/lines|toolchain/toolchain)_test$")
        set_tests_properties(${unit_NAME} PROPERTIES COST 10) # long ones first
    endif()
endfunction()

function(kz_layer name)
    cmake_parse_arguments(layer "COOL;WARM" "" "EXCLUDE;FOLDERS" ${ARGN})
    set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
    foreach(folder ${layer_FOLDERS})
        list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c)
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.c$")
    list(FILTER sources EXCLUDE REGEX "_test\\.c$")
    foreach(pattern ${layer_EXCLUDE})
        list(FILTER sources EXCLUDE REGEX "${pattern}")
    endforeach()
    add_library(kz_${name} STATIC ${sources})
    target_include_directories(kz_${name} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
    set(once)
    if(layer_COOL)
        kz_compile_quickly(kz_${name})
        set(once ONCE)
    elseif(layer_WARM)
        kz_sanitize_quickly(kz_${name})
    endif()
    kz_link_layer(kz_${name} ${name})
    foreach(test ${tests})
        get_filename_component(stem ${test} NAME_WE)
        kz_unit_test(NAME ${name}/${stem} SOURCE ${test} LINKS kz_${name} ${once})
    endforeach()
endfunction()
