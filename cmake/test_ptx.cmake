# kz_test_ptx(VARIABLE FILE LOWEST): PTX of a test's .cu for each architecture in its line "// kz: sm 80 90", or
# for LOWEST where it has none. VARIABLE becomes the list of files: shuffles.ptx, or with several architectures
# shuffles_sm80.ptx and shuffles_sm90.ptx.
function(kz_test_ptx variable file lowest)
    set(quick -D_GLIBCXX_BITS_SPECFUN_H=1) # as tools/compile_kernel
    get_filename_component(name ${file} NAME_WE)
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${file})
    file(STRINGS ${file} said REGEX "^// kz: sm [0-9a ]+$")
    string(REGEX MATCHALL "[0-9]+a?" architectures "${said}")
    if(NOT architectures)
        set(architectures ${lowest})
    endif()
    list(LENGTH architectures many)
    set(made)
    foreach(sm ${architectures})
        set(stem ${name})
        if(many GREATER 1)
            set(stem ${name}_sm${sm})
        endif()
        set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${stem}.ptx)
        add_custom_command(OUTPUT ${ptx}
            COMMAND ${KZ_NVCC} -ptx -O3 -lineinfo -arch=compute_${sm} -std=c++17 ${quick} ${relative} -o ${ptx}
            WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DEPENDS ${file} COMMENT "nvcc ${relative} for ${sm}" VERBATIM)
        list(APPEND made ${ptx})
    endforeach()
    set(${variable} ${made} PARENT_SCOPE)
endfunction()
