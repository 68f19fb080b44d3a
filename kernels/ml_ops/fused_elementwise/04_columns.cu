// fused_elementwise 04: a thread stays on its columns
//
// Idea     bias and dbias belong to columns: a thread that goes down its columns reads the bias once and adds their gradient in
//          registers.
// Change   a block takes a tile of columns and a piece of the rows (columns.cuh). Sums of a piece meet in shared memory and are
//          written without atomics; a second, small launch adds the pieces in a fixed order. Chains with a mask take two packs
//          32 columns apart, so that each call of Philox serves 8 elements.
// Expect   no division and no bias per row; the same bits of dbias in every run; as much traffic as 03's, without its atomics.
// Limit    one row's packs in flight per thread: a thread waits for each row before it asks for the next (see 05).

#include "columns.cuh"

#define ENTRY(operation, type, T) CHAIN_COLUMNS(columns, 1, FUSED_COLUMNS_BLOCKS, operation, type, T)
CHAIN_ALL(ENTRY)
CHAIN_GATHERS(columns)
