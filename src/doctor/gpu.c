// GPUs, their driver, and the simulator that takes their place.
#include "doctor/doctor.h"

#include <dirent.h>
#include <string.h>

#include "kz/kz.h"

static bool has_file_with(const char *folder, const char *file, const char *text) {
    char path[512], content[64] = "";
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *in = fopen(path, "r");
    if (!in) return false;
    bool found = fgets(content, sizeof content, in) && strncmp(content, text, strlen(text)) == 0;
    fclose(in);
    return found;
}

// Whether a display controller (class 03) of NVIDIA's (vendor 10de) is on the PCI bus.
static bool has_nvidia_hardware(void) {
    static const char bus[] = "/sys/bus/pci/devices";
    DIR *listing = opendir(bus);
    bool found = false;
    for (struct dirent *entry; listing && !found && (entry = readdir(listing));) {
        char folder[400];
        snprintf(folder, sizeof folder, "%s/%s", bus, entry->d_name);
        found = has_file_with(folder, "vendor", "0x10de") && has_file_with(folder, "class", "0x03");
    }
    if (listing) closedir(listing);
    return found;
}

static const char *driver_command(void) {
    char id[64];
    doctor_read_key("/etc/os-release", "ID=", id, sizeof id);
    if (strcmp(id, "ubuntu") == 0) return "sudo ubuntu-drivers install";
    return "sudo apt-get install nvidia-driver (Debian has it in its component non-free)";
}

void doctor_look_at_gpus(doctor_findings *all) {
    kz_device_info infos[16] = {{.size = sizeof infos[0]}};
    size_t count = 0, gpus = 0;
    kz_error error = {0};
    if (kz_device_list(infos, BASE_COUNT(infos), &count, &error) != KZ_OK) {
        doctor_add(all, "gpu", DOCTOR_MISSING, NULL, "the devices cannot be listed: %s", error.message);
        return;
    }
    if (count > BASE_COUNT(infos)) count = BASE_COUNT(infos);
    for (size_t i = 0; i < count; i++) {
        const kz_device_info *d = &infos[i];
        if (d->kind != KZ_DEVICE_CUDA) continue;
        gpus++;
        doctor_add(all, "gpu", DOCTOR_HAVE, NULL, "%s: %s, sm_%d, %.1f GiB", d->id, d->name, d->sm,
                   (double)d->memory_bytes / (1 << 30));
    }
    if (gpus > 0) return;
    if (base_file_exists("/proc/driver/nvidia/version"))
        doctor_add(
            all, "gpu", DOCTOR_MISSING, "nvidia-smi",
            "the NVIDIA driver is loaded, but its library libcuda.so.1 gives no GPU: see what nvidia-smi "
            "says, and in a "
            "container start it with --gpus all");
    else if (has_nvidia_hardware())
        doctor_add(all, "gpu", DOCTOR_MISSING, driver_command(),
                   "there is an NVIDIA GPU, but no driver for it");
    else
        doctor_add(all, "gpu", DOCTOR_NOTE, NULL, "no NVIDIA GPU: kernels run in the simulator");
}

void doctor_look_at_simulator(doctor_findings *all) {
    kz_device *device = NULL;
    kz_error error = {0};
    if (kz_device_open("sim", &device, &error) != KZ_OK) {
        doctor_add(all, "simulator", DOCTOR_MISSING, NULL, "%s", error.message);
        return;
    }
    const kz_device_info *info = kz_device_get_info(device);
    doctor_add(all, "simulator", DOCTOR_HAVE, NULL, "%s: %s, %.1f GiB", info->id, info->name,
               (double)info->memory_bytes / (1 << 30));
    kz_device_close(device);
}
