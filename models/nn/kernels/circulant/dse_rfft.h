/* Real Fourier transforms in 16 bits, block floating point. n is a power of two from 2 to 1024; the true values are
 * what comes out times two to the power of what is returned. */
#ifndef DSE_RFFT_H
#define DSE_RFFT_H
#include <stdint.h>

/* x[n] -> [X0, X(n/2), re X1, im X1, ...], in place. */
int32_t dse_rfft(int16_t* x, int32_t n);
/* And back, the division by n included. */
int32_t dse_irfft(int16_t* x, int32_t n);
/* Makes values as large as a transform takes them. */
int32_t dse_normalize16(int16_t* x, int32_t n);

#endif
