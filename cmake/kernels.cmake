# kz_kernels(PREFIX list of .cu files): for each, PTX for the lowest architecture it names in a line
# `// kz: sm 80` (75 where it names none) and, with KZ_MACHINE_CODE, machine code for sm_90 (sm_90a for
# `// kz: sm 90a`) from that very PTX; those of the release build are taken where they are current. Sets
# ${PREFIX}_FILES (all outputs) and ${PREFIX}_ROWS (what tools/embed.c reads).

# The simulator runs PTX, and a driver compiles it too: machine code is for machines that have a GPU, or for
# packages. It is two fifths of the compiler's time and half of what kz weighs.
set(_gpu OFF)
foreach(_place /dev/nvidiactl /proc/driver/nvidia/version /usr/lib/wsl/lib/libcuda.so.1)
    if(EXISTS ${_place})
        set(_gpu ON)
    endif()
endforeach()
option(KZ_MACHINE_CODE "Machine code for sm_90 beside the PTX; by itself where there is a GPU" ${_gpu})

function(kz_kernels prefix)
    set(files)
    set(rows)
    foreach(source ${ARGN})
        file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${source})
        get_filename_component(variant ${source} NAME_WE)
        get_filename_component(folder ${source} DIRECTORY)
        get_filename_component(family ${folder} NAME)
        # The line decides how the file is compiled, so a change of it configures anew.
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} line REGEX "^// kz: sm [0-9]+a?" LIMIT_COUNT 1)
        set(lowest 75)
        if(line MATCHES "sm ([0-9]+a?)")
            set(lowest ${CMAKE_MATCH_1})
        endif()
        set(tuned 90)
        if(lowest MATCHES "a$" OR lowest GREATER 90)
            set(tuned ${lowest})
        endif()
        set(stem ${CMAKE_BINARY_DIR}/kernels/${family}/${variant})
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/kernels/${family})
        set(twin ${CMAKE_SOURCE_DIR}/build/release/kernels/${family}/${variant})
        if(twin STREQUAL stem)
            set(twin)
        endif()
        set(outputs ${stem}.ptx)
        set(ptxas none)
        set(cubin none)
        if(KZ_MACHINE_CODE)
            list(APPEND outputs ${stem}.cubin)
            set(ptxas ${KZ_PTXAS})
            set(cubin ${stem}.cubin)
        endif()
        add_custom_command(
            OUTPUT ${outputs}
            COMMAND ${CMAKE_SOURCE_DIR}/tools/compile_kernel ${KZ_NVCC} ${ptxas} ${lowest} ${tuned} ${relative} ${stem}
                    ${twin}
            WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
            DEPENDS ${source} ${CMAKE_SOURCE_DIR}/tools/compile_kernel ${KZ_NVCC}
            DEPFILE ${stem}.d
            COMMENT "nvcc ${relative}"
            VERBATIM)
        list(APPEND files ${outputs})
        string(APPEND rows "${family} ${variant} ${tuned} ${stem}.ptx ${cubin}\n")
    endforeach()
    set(${prefix}_FILES ${files} PARENT_SCOPE)
    set(${prefix}_ROWS "${rows}" PARENT_SCOPE)
endfunction()
