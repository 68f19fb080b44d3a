#include "cutlass.h"
const cutlass_menu *cutlass_find_fused(const kz_peer_problem *) { return NULL; }
