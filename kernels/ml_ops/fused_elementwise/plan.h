// fused_elementwise: the plans of its variants, for the table in family.c.
#ifndef FUSED_ELEMENTWISE_PLAN_H
#define FUSED_ELEMENTWISE_PLAN_H

#include "kz/family.h"

kz_status chain_plan_native(const kz_planner *p);
kz_status chain_plan_unfused(const kz_planner *p); // 01: a launch per step
kz_status chain_plan_elements(
    const kz_planner *p); // 02 and 03: as many bytes per thread as the row's tile, or one element
kz_status chain_plan_columns(const kz_planner *p); // 04 and 05: as many packs in flight as the row's tile

#endif
