// Sizes and offsets as the compiler lays them out, the same on host and device: kz run files/sizes.cu
#include <cstddef>
#include <cstdio>

struct mixed {
    char tag;
    double value;
    int count;
};
struct sorted {
    double value;
    int count;
    char tag;
};
struct pixel {
    unsigned char r, g, b;
};
struct flags {
    short kind;
    char on;
    int id;
    char off;
};
struct alignas(16) point {
    float x, y, z;
};

int main() {
    printf("mixed %zu\n", sizeof(mixed));
    printf("count_at %zu\n", offsetof(mixed, count));
    printf("sorted %zu\n", sizeof(sorted));
    printf("pixel %zu\n", sizeof(pixel));
    printf("flags %zu\n", sizeof(flags));
    printf("float3 %zu\n", sizeof(float3));
    printf("point %zu\n", sizeof(point));
    return 0;
}
