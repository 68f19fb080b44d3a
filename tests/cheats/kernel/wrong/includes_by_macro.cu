// fails: source
// The same behind a macro.
#define FILE_OF_SOMEBODY "../solution.cu"
#include FILE_OF_SOMEBODY
