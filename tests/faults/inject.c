/* Lets one call of the C library fail, to test what a program does then: LD_PRELOAD=inject.so,
 * PERFMODEL_FAULT=CALL:N:ERRNO, for example write:3:28, fails the Nth call after main() began. With
 * N = 0 none fails. PERFMODEL_FAULT_COUNT=FILE appends the number of calls to FILE at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char call[16];
static long number;
static int error;
static atomic_long count;
static atomic_int armed;

static int fails(const char* name) {
  if (!atomic_load(&armed) || strcmp(name, call) != 0)
    return 0;
  if (atomic_fetch_add(&count, 1) + 1 != number)
    return 0;
  errno = error;
  return 1;
}

ssize_t write(int file, const void* bytes, size_t size) {
  return fails("write") ? -1 : syscall(SYS_write, file, bytes, size);
}

ssize_t read(int file, void* bytes, size_t size) {
  return fails("read") ? -1 : syscall(SYS_read, file, bytes, size);
}

int fsync(int file) {
  return fails("fsync") ? -1 : (int)syscall(SYS_fsync, file);
}

int rename(const char* from, const char* to) {
  return fails("rename") ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

static int opened(int folder, const char* path, int flags, va_list more) {
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
  return fails("open") ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int out = opened(AT_FDCWD, path, flags, more);
  va_end(more);
  return out;
}

int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int out = opened(folder, path, flags, more);
  va_end(more);
  return out;
}

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t items, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  return fails("malloc") ? NULL : __libc_malloc(size);
}

void* calloc(size_t items, size_t size) {
  return fails("malloc") ? NULL : __libc_calloc(items, size);
}

void* realloc(void* old, size_t size) {
  return fails("malloc") ? NULL : __libc_realloc(old, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return fails("malloc") ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void** out, size_t alignment, size_t size) {
  if (fails("malloc"))
    return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == NULL ? ENOMEM : 0;
}

static int (*real_main)(int, char**, char**);

static int armed_main(int argc, char** argv, char** environment) {
  atomic_store(&armed, 1);
  const int out = real_main(argc, argv, environment);
  atomic_store(&armed, 0);
  const char* path = getenv("PERFMODEL_FAULT_COUNT");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file != NULL) {
    fprintf(file, "%ld\n", atomic_load(&count));
    fclose(file);
  }
  return out;
}

/* What precedes main(), the loading of libraries, is not the program's own. */
int __libc_start_main(int (*main_of_program)(int, char**, char**), int argc, char** argv,
                      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void* stack) {
  int (*start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
               void (*)(void), void*);
  *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  const char* fault = getenv("PERFMODEL_FAULT");
  if (fault != NULL)
    sscanf(fault, "%15[a-z]:%ld:%d", call, &number, &error);
  real_main = main_of_program;
  return start(armed_main, argc, argv, init, fini, rtld_fini, stack);
}
