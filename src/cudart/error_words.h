// The names of errors and what they mean. Errors are numbers here: who has no header of CUDA's asks too.
#ifndef CUDART_ERROR_WORDS_H
#define CUDART_ERROR_WORDS_H

const char *cudart_error_name(int error);
const char *cudart_error_text(int error);

#endif
