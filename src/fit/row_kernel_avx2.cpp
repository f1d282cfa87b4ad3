#define PERFMODEL_KERNEL_WIDTH 4
#define PERFMODEL_KERNEL_NAME avx2
#include "fit/row_kernel.inc"
