// One lock per device: for its own tables, and around every call of a backend that serves one thread at a
// time.
#include "device/device.h"

void device_begin(kz_device *device, const device_backend *backend) {
    pthread_mutexattr_t again; // a plan, which holds the lock, makes calls that take it
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&device->lock, &again);
    pthread_mutexattr_destroy(&again);
    pthread_mutex_init(&device->plan_lock, NULL);
    device->backend = backend;
}

void device_end(kz_device *device) {
    pthread_mutex_destroy(&device->plan_lock);
    pthread_mutex_destroy(&device->lock);
}

void device_lock(kz_device *device) { pthread_mutex_lock(&device->lock); }
void device_unlock(kz_device *device) { pthread_mutex_unlock(&device->lock); }

void device_enter(kz_device *device) {
    if (!device->backend->concurrent) device_lock(device);
}

kz_status device_leave(kz_device *device, kz_status status) {
    if (!device->backend->concurrent) device_unlock(device);
    return status;
}
