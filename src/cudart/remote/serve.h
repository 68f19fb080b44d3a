// The runtime's end of the channels (channel.h).
#ifndef CUDART_REMOTE_SERVE_H
#define CUDART_REMOTE_SERVE_H

// Opens the device for a host that is another process; `shared` is the file that registered memory moves to.
void remote_open(int shared);
// Serves a thread of the program until it is gone. Each channel has a thread of its own here, as the runtime keeps some
// things for each.
void remote_serve(int channel);

#endif
