#define PERFMODEL_KERNEL_WIDTH 8
#define PERFMODEL_KERNEL_NAME avx512
#include "fit/row_kernel.inc"
