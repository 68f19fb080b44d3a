// permute: the plans of its variants, for the table in family.c.
#ifndef PERMUTE_PLANS_H
#define PERMUTE_PLANS_H

#include "private.h"

#define PERMUTE_PLAN(idea) kz_status permute_plan_##idea(const kz_planner *p);
PERMUTE_PLAN(native)
PERMUTE_PLAN(naive)
PERMUTE_PLAN(fast_division)
PERMUTE_PLAN(merged_axes)
PERMUTE_PLAN(row_copy)
PERMUTE_PLAN(shared_tile)
PERMUTE_PLAN(wide_tile)
PERMUTE_PLAN(tile_4d)
PERMUTE_PLAN(few_channels)
PERMUTE_PLAN(dispatch)
#undef PERMUTE_PLAN

#endif
