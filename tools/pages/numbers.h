// Numbers for figures about rounding: the formats, and draws that are the same on every machine.
#ifndef PAGES_NUMBERS_H
#define PAGES_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

typedef enum number_format { NUMBER_F32, NUMBER_F16, NUMBER_BF16, NUMBER_E4M3, NUMBER_E5M2 } number_format;

// To nearest, ties to even; infinite where it is past the format's largest, though e4m3 has no infinity.
double number_round(number_format format, double value);
// To a neighbour in bf16, upwards with the probability that lets the mean be `value`; `unit` is drawn from [0, 1).
double number_round_by_chance(double value, double unit);
double number_largest_e4m3(void);

double number_unit(uint32_t stream, uint64_t index);   // in [0, 1)
double number_normal(uint32_t stream, uint64_t index); // mean 0, deviation 1

#endif
