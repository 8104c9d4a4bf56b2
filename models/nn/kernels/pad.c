#include "dse_internal.h"

void dse_pad(const dse_call* call) { (void)call; }
