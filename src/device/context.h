// Another context on the same GPU, which works there for a moment.
//
// Launches in a graph follow each other sooner after that, until this context has used many streams: a state that a fresh
// process is in too (notebook/2026-11-17-two-speeds-of-graphs.md).
#ifndef DEVICE_CONTEXT_H
#define DEVICE_CONTEXT_H

#include "kz/kz.h"

// Whether the device can have one: a GPU can.
bool device_has_contexts(const kz_device *device);
// The other context fills some memory and is waited for; the device's own one is current again then. It is made when first
// asked for, takes some hundred MB of a GPU, and lives as long as the device. KZ_UNSUPPORTED where there can be none.
kz_status device_switch_context(kz_device *device, kz_error *error);

#endif
