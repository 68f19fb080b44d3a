// Every thread writes its own number into its own element.

extern "C" __global__ void hello_thread(int *who, int n) {
    // kz: begin
    who[threadIdx.x] = threadIdx.x;
    // kz: starter
    //|     // Write one line here: element number threadIdx.x of who becomes
    //|     // threadIdx.x.
    // kz: end
}
