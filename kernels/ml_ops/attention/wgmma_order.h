// attention: in which order blocks that stay take tiles of queries. Plain C, read by the device and by the host alike.
//
// A column is a head of a sequence, with `tiles` tiles of queries. Columns are taken in sections whose keys and values stay in L2.
// Under a causal mask the last queries see the most keys. The last section goes from long tiles to short ones, so that blocks end
// together; the one before it from short to long, and so on by turns: tiles that meet where sections do are of like length.
#ifndef ATTENTION_WGMMA_ORDER_H
#define ATTENTION_WGMMA_ORDER_H

#ifdef __CUDACC__
#define ATTENTION_INLINE static __device__ __forceinline__
#else
#define ATTENTION_INLINE static inline
#endif

typedef struct attention_order {
    unsigned tiles, columns, section;
} attention_order;

typedef struct attention_turn {
    unsigned column, tile;
} attention_turn;

// What a block takes in a round: rounds have as many turns as there are blocks, and every second one goes backwards, so that each
// block has long tiles and short ones. Past the last turn there is nothing.
ATTENTION_INLINE unsigned attention_turn_number(unsigned round, unsigned block, unsigned blocks) {
    return round * blocks + (round % 2 ? blocks - 1 - block : block);
}

ATTENTION_INLINE attention_turn attention_turn_of(const attention_order *o, unsigned number) {
    unsigned before = number / (o->tiles * o->section) * o->section, sections_behind;
    unsigned width = o->columns - before < o->section ? o->columns - before : o->section;
    attention_turn turn;
    number -= before * o->tiles;
    sections_behind = (o->columns - 1) / o->section - before / o->section;
    turn.tile = number / width;
    turn.column = before + number % width;
    if (sections_behind % 2 == 0) turn.tile = o->tiles - 1 - turn.tile;
    return turn;
}

#endif
