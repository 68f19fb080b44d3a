// Tile transpose through registers and shared memory, for the families transpose and permute: element (r, c) of a
// tile of the input becomes element (c, r) of the output's.
//
// All is counted in bytes: a tile has as many elements on a side as fill CHUNKS packs of 16 bytes, so that
// both sides of memory see rows of CHUNKS x 16 bytes, whatever the elements' size. In shared memory the tile
// has the output's orientation already; its rows are permuted so that neither writing nor reading meets a
// bank twice.
#ifndef KZ_TILE_TRANSPOSE_CUH
#define KZ_TILE_TRANSPOSE_CUH

#include "kz/kernel.cuh"

template <int SIZE> struct kz_uint_of;
template <> struct kz_uint_of<1> { typedef uint8_t bits; };
template <> struct kz_uint_of<2> { typedef uint16_t bits; };
template <> struct kz_uint_of<4> { typedef uint32_t bits; };
template <> struct kz_uint_of<8> { typedef uint64_t bits; };

// ---- a square block in registers --------------------------------------------------------------------

// A pack as its four words.
union kz_words {
    uint4 raw;
    uint32_t at[4];
};

// Element j of line[0], line[1], ... becomes transposed[j]: 16 / SIZE packs of as many elements. Elements of 4
// and 8 bytes merely change their names; smaller ones are picked from two words by one instruction.
template <int SIZE> struct kz_register_transpose;
template <> struct kz_register_transpose<8> {
    static __device__ __forceinline__ kz_words column(const kz_words *line, int j) {
        return {{line[0].at[2 * j], line[0].at[2 * j + 1], line[1].at[2 * j], line[1].at[2 * j + 1]}};
    }
};
template <> struct kz_register_transpose<4> {
    static __device__ __forceinline__ kz_words column(const kz_words *line, int j) {
        return {{line[0].at[j], line[1].at[j], line[2].at[j], line[3].at[j]}};
    }
};
template <> struct kz_register_transpose<2> {
    static __device__ __forceinline__ kz_words column(const kz_words *line, int j) {
        kz_words transposed;
#pragma unroll
        for (int w = 0; w < 4; w++)
            transposed.at[w] =
                __byte_perm(line[2 * w].at[j / 2], line[2 * w + 1].at[j / 2], j % 2 ? 0x7632 : 0x5410);
        return transposed;
    }
};
template <> struct kz_register_transpose<1> {
    static __device__ __forceinline__ kz_words column(const kz_words *line, int j) {
        kz_words transposed;
#pragma unroll
        for (int w = 0; w < 4; w++) {
            // Pairs of bytes of two lines each; columns j and j ^ 1 share them.
            const kz_words *four = line + 4 * w;
            uint32_t pairs = j % 4 < 2 ? 0x5140 : 0x7362;
            uint32_t upper = __byte_perm(four[0].at[j / 4], four[1].at[j / 4], pairs);
            uint32_t lower = __byte_perm(four[2].at[j / 4], four[3].at[j / 4], pairs);
            transposed.at[w] = __byte_perm(upper, lower, j % 2 ? 0x7632 : 0x5410);
        }
        return transposed;
    }
};

// ---- the tile ----------------------------------------------------------------------------------------

// One side of memory: rows `pitch` elements apart. `packs`: every row that the kernel touches begins with a
// pack and has whole ones.
template <int SIZE> struct kz_tile_view {
    typedef typename kz_uint_of<SIZE>::bits bits;
    bits *at;
    size_t pitch;
    bool packs;
};

template <int SIZE, int CHUNKS_, int THREADS, int LOAD = KZ_CACHE, int STORE = KZ_CACHE>
struct kz_tile_transpose {
    typedef typename kz_uint_of<SIZE>::bits bits;
    enum {
        CHUNKS = CHUNKS_,
        PACK = 16 / SIZE,
        TILE = CHUNKS * PACK,               // elements on a side
        BYTES = TILE * TILE * SIZE,         // of shared memory
        BLOCKS = CHUNKS * CHUNKS / THREADS, // of PACK x PACK elements, per thread
        ROWS = THREADS / CHUNKS,            // rows of the tile that the threads write at once, by packs
        STEPS = TILE / ROWS,
        LINES = THREADS < TILE ? 1 : THREADS / TILE, // and element by element
        FLIGHT = STEPS < 8 ? STEPS : 8,              // packs, or elements, that a thread has on their way
    };
    static_assert(BLOCKS * THREADS == CHUNKS * CHUNKS, "every thread transposes as many blocks");
    static_assert(STEPS % FLIGHT == 0 && TILE % (FLIGHT * LINES) == 0, "whole rounds");

    // The index in shared memory of chunk k of the tile's row c. Writing packs, c goes by PACK from lane to lane; writing
    // elements, by 1; both times 8 neighbours differ.
    static __device__ __forceinline__ unsigned swizzled_index(unsigned c, unsigned k) {
        return c * CHUNKS + (k ^ ((c / PACK ^ c % PACK) % CHUNKS));
    }

    static __device__ __forceinline__ void read_packs(uint4 *tile, const bits *in, size_t pitch,
                                                      unsigned height, unsigned width) {
        kz_words line[BLOCKS][PACK];
#pragma unroll
        for (int b = 0; b < BLOCKS; b++) {
            unsigned block = threadIdx.x + b * THREADS, across = block % CHUNKS, down = block / CHUNKS;
            const bits *at = in + down * PACK * pitch + across * PACK;
            int lines = across * PACK < width ? (int)height - (int)(down * PACK) : 0; // that are there
#pragma unroll
            for (int i = 0; i < PACK; i++, at += pitch) {
                line[b][i].raw = make_uint4(0, 0, 0, 0);
                if (i < lines) line[b][i].raw = kz_load<LOAD>((const uint4 *)at);
            }
        }
#pragma unroll
        for (int b = 0; b < BLOCKS; b++) {
            unsigned block = threadIdx.x + b * THREADS, across = block % CHUNKS, down = block / CHUNKS;
#pragma unroll
            for (int j = 0; j < PACK; j++)
                tile[swizzled_index(across * PACK + j, down)] =
                    kz_register_transpose<SIZE>::column(line[b], j).raw;
        }
    }

    static __device__ __forceinline__ void write_packs(const uint4 *tile, bits *out, size_t pitch,
                                                       unsigned height, unsigned width) {
        unsigned chunk = threadIdx.x % CHUNKS;
        if (chunk * PACK >= height) return;
        bits *at = out + threadIdx.x / CHUNKS * pitch + chunk * PACK;
#pragma unroll
        for (int first = 0; first < STEPS; first += FLIGHT) {
            uint4 line[FLIGHT];
#pragma unroll
            for (int s = 0; s < FLIGHT; s++)
                line[s] = tile[swizzled_index(threadIdx.x / CHUNKS + (first + s) * ROWS, chunk)];
#pragma unroll
            for (int s = 0; s < FLIGHT; s++, at += ROWS * pitch)
                if (threadIdx.x / CHUNKS + (first + s) * ROWS < width) kz_store<STORE>((uint4 *)at, line[s]);
        }
    }

    // Element by element, where rows begin anywhere. A thread keeps to one column, or a few.
    static __device__ __forceinline__ void read_elements(uint4 *tile, const bits *in, size_t pitch,
                                                         unsigned height, unsigned width) {
#pragma unroll 1
        for (unsigned c = threadIdx.x % TILE; c < TILE && c < width; c += THREADS) {
            const bits *at = in + threadIdx.x / TILE * pitch + c;
#pragma unroll 1
            for (unsigned first = threadIdx.x / TILE; first < height; first += FLIGHT * LINES) {
                bits line[FLIGHT]; // several loads before the first use, as with packs
#pragma unroll
                for (int s = 0; s < FLIGHT; s++, at += LINES * pitch) {
                    line[s] = 0;
                    if (first + s * LINES < height) line[s] = *at;
                }
#pragma unroll
                for (int s = 0; s < FLIGHT; s++) {
                    unsigned r = first + s * LINES;
                    ((bits *)(tile + swizzled_index(c, r / PACK)))[r % PACK] = line[s];
                }
            }
        }
    }

    static __device__ __forceinline__ void write_elements(const uint4 *tile, bits *out, size_t pitch,
                                                          unsigned height, unsigned width) {
#pragma unroll 1
        for (unsigned r = threadIdx.x % TILE; r < TILE && r < height; r += THREADS) {
            bits *at = out + threadIdx.x / TILE * pitch + r;
#pragma unroll 1
            for (unsigned first = threadIdx.x / TILE; first < width; first += FLIGHT * LINES)
#pragma unroll
                for (int s = 0; s < FLIGHT; s++, at += LINES * pitch) {
                    unsigned c = first + s * LINES;
                    if (c < width) *at = ((const bits *)(tile + swizzled_index(c, r / PACK)))[r % PACK];
                }
        }
    }

    // All of the block's threads: the tile at in.at, of which height x width elements are there, into shared
    // memory; after a barrier, out of it to out.at.
    static __device__ __forceinline__ void load(uint4 *tile, kz_tile_view<SIZE> in, unsigned height,
                                                unsigned width) {
        if (in.packs)
            read_packs(tile, in.at, in.pitch, height, width);
        else
            read_elements(tile, in.at, in.pitch, height, width);
    }
    static __device__ __forceinline__ void store(const uint4 *tile, kz_tile_view<SIZE> out, unsigned height,
                                                 unsigned width) {
        if (out.packs)
            write_packs(tile, out.at, out.pitch, height, width);
        else
            write_elements(tile, out.at, out.pitch, height, width);
    }
};

#endif
