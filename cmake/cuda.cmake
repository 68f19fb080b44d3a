# Finds the CUDA compiler: KZ_NVCC and KZ_PTXAS, with the same order as tools/setup and src/toolchain:
# CUDA_HOME, the PATH, /usr/local/cuda, .kz/cuda of this checkout. KZ_NO_SYSTEM_CUDA=1 in the
# environment leaves all but the last out. CMake's own CUDA language is not used: it would ask for a linker
# and a runtime library, while we need PTX and machine code only.

set(_places $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin)
if(NOT "$ENV{KZ_NO_SYSTEM_CUDA}")
    string(REPLACE ":" ";" _path "$ENV{PATH}")
    list(APPEND _places ${_path} /usr/local/cuda/bin)
else()
    set(_places)
endif()
list(APPEND _places ${CMAKE_SOURCE_DIR}/.kz/cuda/bin)

# Both must come from one toolkit: ptxas reads what this very nvcc writes.
if(KZ_NVCC AND NOT EXISTS "${KZ_NVCC}")
    unset(KZ_NVCC CACHE)
endif()
if(NOT KZ_NVCC)
    unset(KZ_PTXAS CACHE)
    foreach(_place ${_places})
        if(EXISTS ${_place}/nvcc)
            execute_process(COMMAND ${_place}/nvcc --version OUTPUT_VARIABLE _said ERROR_QUIET)
            if(_said MATCHES "release ([0-9]+)\\.([0-9]+), V([0-9.]+)" AND CMAKE_MATCH_1 GREATER_EQUAL 12)
                set(KZ_NVCC ${_place}/nvcc CACHE FILEPATH "The CUDA compiler, 12 or later")
                set(KZ_NVCC_VERSION ${CMAKE_MATCH_3} CACHE STRING "Its version")
                break()
            endif()
        endif()
    endforeach()
endif()
if(NOT KZ_NVCC)
    message(FATAL_ERROR "There is no CUDA compiler (nvcc 12 or later) on the PATH, in CUDA_HOME, in "
                        "/usr/local/cuda or in .kz/cuda: `make setup` puts one into .kz/cuda.")
endif()
get_filename_component(_bin ${KZ_NVCC} REALPATH)
get_filename_component(_bin ${_bin} DIRECTORY)
if(NOT KZ_PTXAS)
    find_program(KZ_PTXAS ptxas HINTS ${_bin} NO_DEFAULT_PATH)
    find_program(KZ_PTXAS ptxas REQUIRED)
endif()
message(STATUS "CUDA compiler: ${KZ_NVCC} (${KZ_NVCC_VERSION})")
