// streams: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef STREAMS_TUNE_H
#define STREAMS_TUNE_H

#define STREAMS_THREADS 256 // per block
#define STREAMS_BLOCKS  8   // per multiprocessor, at most: 8 of 256 threads fill one

// The pieces that the input is cut into, from 03 on. Searched: 4 8.
// More pieces fill the pipeline sooner and drain it sooner; each costs a few microseconds of its own.
#ifndef STREAMS_CHUNKS
#define STREAMS_CHUNKS 8
#endif
#define STREAMS_LEAST 1024 // elements of a piece

// 04, 05: streams, each with a buffer. 06, 07: buffers that go round. Searched: 3 4.
#ifndef STREAMS_WIDE
#define STREAMS_WIDE 4
#endif

#endif
