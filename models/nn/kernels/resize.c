#include "dse_internal.h"

void dse_resize(const dse_call* call) { (void)call; }
