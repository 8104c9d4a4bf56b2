/* What the element-wise kernels share: values come in pieces of a channel run, as int32 (float: its bits), are computed
 * piece by piece, and are stored in the output's type. */
#ifndef DSE_ELEMENTWISE_H
#define DSE_ELEMENTWISE_H
#include "dse_kernels.h"

enum { DSE_PIECE = 64 }; /* elements; three pieces are on the stack */

/* n values of `type` at a distance of `stride` bytes. Types of 64 bits are not element-wise. */
void dse_load_values(const uint8_t* from, int32_t stride, int32_t type, int32_t n, int32_t* to);
void dse_store_values(const int32_t* from, int32_t n, uint8_t* to, int32_t stride, int32_t type);

/* o[i] = f(a[i], b[i]); `b` is 0 where the operator has one operand. */
typedef void dse_element_function(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n);
/* Applies it to all elements of the call's tile. */
void dse_element_wise(const dse_call* call, dse_element_function* f);

/* Element functions with two operands, by rounding mode (binary.c says where the parameters are). */
void dse_binary_onnx(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n);
void dse_binary_qformat(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n);
/* REQUANTIZE and ABS. */
void dse_requantize_values(const dse_call* call, const int32_t* a, const int32_t* b, int32_t* o, int32_t n);
/* SOFTMAX of a pixel from int16 to int16; `max` is the largest of its values. */
void dse_softmax16_pixel(const dse_call* call, const uint8_t* in, uint8_t* out, int32_t max);

#endif
