#define PERFMODEL_KERNEL_WIDTH 2
#define PERFMODEL_KERNEL_NAME baseline
#include "fit/process/matrix/tile_kernel.inc"
