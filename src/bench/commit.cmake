# cmake -DROOT=... -DOUT=... -P commit.cmake: writes OUT with the commit of ROOT, only where it changed.
# Sources that are not in git have no commit: KZ_COMMIT in the environment may name one.
cmake_minimum_required(VERSION 3.25)
set(commit "$ENV{KZ_COMMIT}")
if(commit STREQUAL "")
    execute_process(COMMAND git -C ${ROOT} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    if(failed)
        set(commit "")
    else()
        # What is measured is made of these alone; a changed text elsewhere makes no other binary.
        execute_process(COMMAND git -C ${ROOT} status --porcelain -- src include kernels cli peers cmake gpus
                                CMakeLists.txt OUTPUT_VARIABLE changed ERROR_QUIET)
        if(NOT changed STREQUAL "")
            set(commit "${commit}-dirty")
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define BENCH_COMMIT \"@commit@\"\n" @ONLY)
