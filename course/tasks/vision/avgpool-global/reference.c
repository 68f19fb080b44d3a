// The mean over pixels of each channel: up to eight partial sums in float, then their sum and one division.
void reference(const double *x, double *y, double *y_bound, int64_t pixels, int64_t channels) {
    for (int64_t channel = 0; channel < channels; channel++) {
        double sum = 0, magnitude = 0;
        for (int64_t pixel = 0; pixel < pixels; pixel++) {
            sum += x[pixel * channels + channel];
            magnitude += fabs(x[pixel * channels + channel]);
        }
        y[channel] = sum / (double)pixels;
        y_bound[channel] = (3 + 2 * sqrt((double)pixels)) * U_F32 * magnitude / (double)pixels;
    }
}
