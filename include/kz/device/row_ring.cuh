// The frame of row kernels (kz/device/row.cuh) on Hopper: a cluster's blocks hold a row in shared memory, each a part of it.
//
// A block's last warp sends bulk copies into a ring of stages; the others fold and write. A row fills some stages and the
// next row those that are left, then each that the writing pass has emptied: there is no moment without loads on the way,
// and nothing but the ring needs room for them. A fold costs one exchange: each warp sends its value to every block of the
// cluster (st.async), whose barrier counts the bytes; no barrier of a whole block or cluster is in the loop.
// Packs at a row's ends that are not whole come by single elements. Rows whose arrays lie at different places of 16 bytes,
// and rows that do not fit, are read anew in each pass.
#ifndef KZ_ROW_RING_CUH
#define KZ_ROW_RING_CUH

#include "kz/device/bulk.cuh"
#include "kz/device/row.cuh"
#include "kz/device/tensor_copy.cuh"

static __device__ __forceinline__ unsigned kz_cluster_blocks(void) {
    unsigned blocks;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}

// ---- the cluster folds -------------------------------------------------------------------------------------

// Waits for what other blocks of the cluster sent.
static __device__ __forceinline__ void kz_barrier_wait_cluster(unsigned barrier, unsigned parity) {
    unsigned done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!done);
}

// COUNT words, 1, 2 or 4, to the same place in block `rank`, whose barrier counts their bytes.
template <int COUNT>
static __device__ __forceinline__ void kz_send_words(unsigned to, const unsigned *words, unsigned barrier,
                                                     unsigned rank) {
    unsigned there, counted;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(to), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(counted) : "r"(barrier), "r"(rank));
    if constexpr (COUNT == 1)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(there),
                     "r"(words[0]), "r"(counted)
                     : "memory");
    else if constexpr (COUNT == 2)
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(there),
            "r"(words[0]), "r"(words[1]), "r"(counted)
            : "memory");
    else
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::
                "r"(there),
            "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "r"(counted)
            : "memory");
}

// A value, in the 1, 2 or so many times 4 words in which it is sent.
template <typename A> struct kz_row_parcel {
    static const int WORDS = (int)sizeof(A) / 4, COUNT = WORDS < 3 ? WORDS : 4,
                     PADDED = (WORDS + COUNT - 1) / COUNT * COUNT;
    alignas(COUNT * 4) unsigned at[PADDED];
    __device__ __forceinline__ A value() const {
        A v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    // By one lane for each block of the cluster.
    static __device__ __forceinline__ void send(const kz_row_parcel *to, A v, unsigned barrier,
                                                unsigned rank) {
        unsigned words[PADDED] = {0};
        memcpy(words, &v, sizeof v);
#pragma unroll
        for (int i = 0; i < PADDED; i += COUNT)
            kz_send_words<COUNT>(kz_shared_address(to->at + i), words + i, barrier, rank);
    }
};

// The threads that fold in all blocks of the cluster. Two rooms take turns, each with two barriers: values have come (one
// arrival, and their bytes), and all warps of the cluster have read them, which whoever sends again waits for.
struct kz_row_cluster_team {
    enum { WARPS = KZ_ROW_RING_THREADS / KZ_WARP };
    unsigned rank, ranks, folds;
    unsigned come, read; // their addresses, two of each

    template <class Op> __device__ __forceinline__ typename Op::value fold(typename Op::value v) {
        typedef kz_row_parcel<typename Op::value> parcel;
        __shared__ parcel of_warp[2][KZ_ROW_CLUSTER * WARPS];
        unsigned turn = folds % 2, parity = folds / 2 % 2, here = come + turn * 8, done = read + turn * 8;
        if (threadIdx.x == 0) kz_barrier_arrive_expect(here, ranks * WARPS * parcel::PADDED * 4);
        v = kz_row_fold_warp<Op>(v);
        if (folds++ >= 2) kz_barrier_wait_cluster(done, parity ^ 1);
        if (kz_lane() < ranks) parcel::send(&of_warp[turn][rank * WARPS + kz_warp()], v, here, kz_lane());
        kz_barrier_wait_cluster(here, parity);
        v = kz_lane() < ranks * WARPS ? of_warp[turn][kz_lane()].value() : Op::identity();
        for (unsigned i = kz_lane() + KZ_WARP; i < ranks * WARPS; i += KZ_WARP)
            v = Op::combine(v, of_warp[turn][i].value());
        __syncwarp();
        if (kz_lane() < ranks) kz_barrier_arrive_at(done, kz_lane());
        return kz_row_fold_warp<Op>(v);
    }
};

// ---- the ring --------------------------------------------------------------------------------------------

// Both sides count stages alike: a slot, and the parity of its present use.
struct kz_row_ring {
    unsigned char *memory;
    uint64_t *full, *empty;
    unsigned depth, slot, parity;
    __device__ __forceinline__ void advance(int stages) {
        slot += (unsigned)stages;
        if (slot >= depth) slot -= depth, parity ^= 1;
    }
};

// This block's part of a row.
template <class Program, bool PLAIN> struct kz_row_slice {
    typedef typename Program::T T;
    enum { E = 16 / sizeof(T), STAGE = KZ_ROW_RING_PACKS * 16 * Program::ARRAYS };
    kz_row_place<Program, PLAIN> place;
    int begin, stages; // 0 stages: read it anew

    __device__ __forceinline__ kz_row_slice(const Program &program, size_t row, size_t rows, int columns,
                                            const kz_row_cluster_team &team, unsigned depth)
        : place(program, row, rows, columns, (int)threadIdx.x, KZ_ROW_RING_THREADS, 1 << 30) {
        int share = (place.packs + (int)team.ranks - 1) / (int)team.ranks;
        begin = share * (int)team.rank;
        place.first = begin + (int)threadIdx.x;
        place.end = min(begin + share, place.packs);
        stages = (share + KZ_ROW_RING_PACKS - 1) / KZ_ROW_RING_PACKS;
        if (stages > (int)depth || !place.congruent(program)) stages = 0;
    }
    // The whole packs of a stage, as one copy per array. By one thread.
    __device__ __forceinline__ void load(const Program &program, int stage, unsigned char *to, uint64_t *full,
                                         uint64_t policy) const {
        int at = begin + stage * KZ_ROW_RING_PACKS;
        int from = max(at, place.head > 0 ? 1 : 0);
        int behind = min(min(at + KZ_ROW_RING_PACKS, place.end), (place.head + place.columns) / E);
        behind = min(behind, (place.head + place.read + E - 1) / E);
        unsigned bytes = behind > from ? (unsigned)(behind - from) * 16 : 0;
        kz_barrier_arrive_expect(full, bytes * Program::ARRAYS);
        if (bytes == 0) return;
        size_t first = place.row * (size_t)place.columns + (size_t)(from * E - place.head);
#pragma unroll
        for (int k = 0; k < Program::ARRAYS; k++)
            kz_bulk_load(to + (k * KZ_ROW_RING_PACKS + from - at) * 16, program.array(k) + first, bytes, full,
                         policy);
    }
};

template <class Program, bool PLAIN> struct kz_row_ringed : kz_row_base<Program, kz_row_cluster_team, PLAIN> {
    typedef kz_row_unit<typename Program::T, Program::ARRAYS> unit;
    typedef kz_row_slice<Program, PLAIN> slice;
    static const bool HELD = false;
    static const int UNITS = 1;
    const Program &program;
    kz_row_ring &ring;
    int begin, stages;

    __device__ __forceinline__ kz_row_ringed(const Program &p, const slice &s, kz_row_cluster_team *t,
                                             kz_row_ring &r)
        : kz_row_base<Program, kz_row_cluster_team, PLAIN>{s.place, t}, program(p), ring(r), begin(s.begin),
          stages(s.stages) {}
    __device__ __forceinline__ void load(unit &to, int pack, int in_stage, const unsigned char *stage) const {
#pragma unroll
        for (int k = 0; k < Program::ARRAYS; k++)
            if (this->place.at(pack, 0).whole && this->place.is_read(pack))
                to.at[k].raw = *(const uint4 *)(stage + (k * KZ_ROW_RING_PACKS + in_stage) * 16);
            else if (PLAIN)
                this->place.fill(program, to.at[k]);
            else
                this->place.template load<KZ_CACHE>(program, to, pack, k);
    }
    template <bool last, class F> __device__ __forceinline__ void each_unit(F f) {
        unsigned slot = ring.slot, parity = ring.parity;
        int first = this->place.first;
        for (int s = 0; s < stages; s++, first += KZ_ROW_RING_PACKS) {
            unit units[KZ_ROW_RING_UNITS];
            kz_barrier_wait(&ring.full[slot], parity);
#pragma unroll
            for (int u = 0; u < KZ_ROW_RING_UNITS; u++)
                if (first + u * KZ_ROW_RING_THREADS < this->place.end)
                    load(units[u], first + u * KZ_ROW_RING_THREADS,
                         (int)threadIdx.x + u * KZ_ROW_RING_THREADS, ring.memory + slot * slice::STAGE);
            if (last) kz_barrier_arrive(&ring.empty[slot]);
#pragma unroll
            for (int u = 0; u < KZ_ROW_RING_UNITS; u++)
                if (first + u * KZ_ROW_RING_THREADS < this->place.end)
                    f(units[u], this->place.at(first + u * KZ_ROW_RING_THREADS, u));
            if (++slot == ring.depth) slot = 0, parity ^= 1;
        }
    }
    template <class F> __device__ __forceinline__ void each(F f) { each_unit<false>(f); }
    template <class Op, class F> __device__ __forceinline__ typename Op::value fold(F f) {
        typename Op::value v = Op::identity();
        each([&](unit &of, const kz_row_at &at) { v = f(v, of, at); });
        return this->team->template fold<Op>(v);
    }
    template <class F> __device__ __forceinline__ void write(F f) {
        each_unit<true>(f);
        ring.advance(stages);
    }
};

// ---- the kernel --------------------------------------------------------------------------------------------

// One lane keeps the ring full, rows ahead as far as there is room.
template <bool PLAIN, class Program>
static __device__ __forceinline__ void kz_row_produce(const Program &program, const kz_row_cluster_team &team,
                                                      kz_row_ring ring, size_t rows, int columns,
                                                      size_t stride) {
    typedef kz_row_slice<Program, PLAIN> slice_of;
    uint64_t policy = kz_evict_first();
    bool used = false; // the slots have been: wait for their readers
    for (size_t row = blockIdx.x / team.ranks; row < rows; row += stride) {
        slice_of slice(program, row, rows, columns, team, ring.depth);
        for (int s = 0; s < slice.stages; s++) {
            if (used) kz_barrier_wait(&ring.empty[ring.slot], ring.parity ^ 1);
            slice.load(program, s, ring.memory + ring.slot * slice_of::STAGE, &ring.full[ring.slot], policy);
            ring.advance(1);
            used = used || ring.slot == 0;
        }
    }
}

template <bool PLAIN, class Program>
static __device__ __forceinline__ void kz_row_consume(Program &program, kz_row_cluster_team &team,
                                                      kz_row_ring &ring, size_t rows, int columns,
                                                      size_t stride) {
    for (size_t row = blockIdx.x / team.ranks; row < rows; row += stride) {
        kz_row_slice<Program, PLAIN> slice(program, row, rows, columns, team, ring.depth);
        if (slice.stages > 0) {
            kz_row_ringed<Program, PLAIN> one(program, slice, &team, ring);
            program.run(one);
        } else {
            kz_row_streamed<Program, kz_row_cluster_team, PLAIN> one(program, slice.place, &team);
            program.run(one);
        }
    }
}

template <bool PLAIN, class Program>
static __device__ __forceinline__ void kz_rows_ring(Program &program, kz_row_cluster_team &team,
                                                    kz_row_ring &ring, size_t rows, int columns) {
    size_t stride = gridDim.x / team.ranks;
    if (threadIdx.x < KZ_ROW_RING_THREADS)
        kz_row_consume<PLAIN>(program, team, ring, rows, columns, stride);
    else if (kz_lane() == 0)
        kz_row_produce<PLAIN>(program, team, ring, rows, columns, stride);
}

// A cluster for each row (kz_row_cluster): KZ_ROW_RING_THREADS + 32 threads, dynamic shared memory for `stages` stages.
template <class Program>
static __device__ __forceinline__ void kz_rows_cluster(Program &program, size_t rows, size_t columns,
                                                       unsigned stages) {
    extern __shared__ __align__(128) unsigned char kz_row_memory[];
    __shared__ uint64_t full[KZ_ROW_RING_STAGES], empty[KZ_ROW_RING_STAGES], come[2], read[2];
    kz_row_cluster_team team = {kz_cluster_rank(), kz_cluster_blocks(), 0, kz_shared_address(come),
                                kz_shared_address(read)};
    kz_row_ring ring = {kz_row_memory, full, empty, stages, 0, 0};
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < stages; s++)
            kz_barrier_init(&full[s], 1), kz_barrier_init(&empty[s], KZ_ROW_RING_THREADS);
        for (int i = 0; i < 2; i++)
            kz_barrier_init(&come[i], 1), kz_barrier_init(&read[i], team.ranks * kz_row_cluster_team::WARPS);
        kz_barrier_init_fence();
    }
    kz_cluster_sync();
    if (kz_rows_plain(program, columns))
        kz_rows_ring<true>(program, team, ring, rows, (int)columns);
    else
        kz_rows_ring<false>(program, team, ring, rows, (int)columns);
    __syncwarp(); // whole warps meet: the producer's lane is alone until here, and others may have diverged
    kz_cluster_sync(); // no block ends while others still say that they have read
}

#endif
