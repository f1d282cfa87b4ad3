/* kernels KIND SIZE BATCH THREADS PRECISION: does 5 steps of BATCH operations
   and prints the median time of a step. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OPERATIONS(REAL, NAME)                                                              \
  static double NAME(const char *kind, int n, REAL *a, REAL *b, REAL *c) {                  \
    if (!strcmp(kind, "matmul")) {                                                          \
      memset(c, 0, sizeof(REAL) * n * n);                                                   \
      for (int i = 0; i < n; ++i)                                                           \
        for (int k = 0; k < n; ++k)                                                         \
          for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];          \
      return c[n];                                                                          \
    }                                                                                       \
    if (!strcmp(kind, "stencil")) {                                                         \
      for (int t = 0; t < 20; ++t)                                                          \
        for (int i = 1; i < n - 1; ++i)                                                     \
          for (int j = 1; j < n - 1; ++j)                                                   \
            c[i * n + j] = (REAL)0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] +          \
                                         a[i * n + j - 1] + b[i * n + j + 1]);              \
      return c[n + 1];                                                                      \
    }                                                                                       \
    if (!strcmp(kind, "activation")) {                                                      \
      for (int i = 0; i < n * n; ++i) c[i] = (REAL)tanh((double)a[i]) + b[i];               \
      return c[n];                                                                          \
    }                                                                                       \
    for (int i = 0; i < n; ++i)                                                             \
      for (int j = 0; j < n; ++j) c[j * n + i] = a[i * n + j];                              \
    for (int i = 0; i < n; ++i)                                                             \
      for (int j = 0; j < n; ++j) b[j * n + i] = c[i * n + j];                              \
    return b[n];                                                                            \
  }
OPERATIONS(float, in_float)
OPERATIONS(double, in_double)

static const char *kind;
static int n, batch, threads, is_double;
static double sink;


static pthread_barrier_t barrier;
#define STEPS 5
static double seconds[STEPS], of_thread[16];

/* Processor time, which other programs on the machine disturb less than the clock. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Thread `argument` does its share of each step; the slowest counts.  */
static void *work(void *argument) {
  long me = (long)argument;
  size_t bytes = (is_double ? 8 : 4) * (size_t)n * n;
  void *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
  memset(a, 0, bytes); memset(b, 0, bytes); memset(c, 0, bytes);
  for (int step = 0; step < STEPS; ++step) {
    pthread_barrier_wait(&barrier);
    double start = now();
    for (long i = me; i < batch; i += threads)
      sink += is_double ? in_double(kind, n, a, b, c) : in_float(kind, n, a, b, c);
    of_thread[me] = now() - start;
    pthread_barrier_wait(&barrier);
    if (me == 0) {
      seconds[step] = of_thread[0];
      for (int t = 1; t < threads; ++t)
        if (of_thread[t] > seconds[step]) seconds[step] = of_thread[t];
    }
  }
  free(a); free(b); free(c);
  return NULL;
}

static int ascending(const void *a, const void *b) {
  return *(const double *)a > *(const double *)b ? 1 : -1;
}

int main(int count, char **words) {
  if (count != 6) return 2;
  kind = words[1]; n = atoi(words[2]); batch = atoi(words[3]); threads = atoi(words[4]);
  is_double = !strcmp(words[5], "double");
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  pthread_t all[16];
  for (long t = 1; t < threads; ++t) pthread_create(&all[t], NULL, work, (void *)t);
  work((void *)0);
  for (int t = 1; t < threads; ++t) pthread_join(all[t], NULL);
  qsort(seconds, STEPS, sizeof(double), ascending);
  printf("step_time: %.9f s\n", seconds[STEPS / 2]);
  return sink == 42;
}
