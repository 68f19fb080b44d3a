// What stands in <<<>>>. See configuration.c.
#ifndef CUDART_CONFIGURATION_H
#define CUDART_CONFIGURATION_H

// Where the program has the <<<>>> of the launch that comes; NULL where it has none, and from then on.
const void *cudart_configuration_caller(void);

#endif
