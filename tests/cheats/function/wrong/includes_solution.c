// fails: source
// Takes the solution itself.
#include "../solution.c"
