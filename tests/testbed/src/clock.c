// Adds CLOCK_OFFSET seconds to the time of day, or has it stand still at the unix us that the file CLOCK_FILE holds.
// libfaketime cannot: it and jemalloc, which Redis is
// linked with, each wait for the other to start.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// Not getenv: that of a program may not be ready when its first thread asks for the time.
static const char *variable(const char *name) {
  for (char **entry = environ; *entry; entry++) {
    const char *at = *entry, *expected = name;
    while (*expected && *at == *expected) at++, expected++;
    if (!*expected) return at;
  }
  return NULL;
}

static long offset;
static const volatile long *held;

static void learn(void) {
  static int is_known;
  if (is_known || !environ) return;
  const char *seconds = variable("CLOCK_OFFSET="), *file = variable("CLOCK_FILE=");
  if (seconds) offset = strtol(seconds, NULL, 10);
  if (file) {
    int descriptor = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY);
    void *map = mmap(NULL, sizeof(*held), PROT_READ, MAP_SHARED, descriptor, 0);
    if (map == MAP_FAILED) abort();
    held = map;
  }
  is_known = 1;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  learn();
  now->tv_sec += offset;
  if (held) {
    long us = *held;
    now->tv_sec = us / 1000000;
    now->tv_nsec = us % 1000000 * 1000;
  }
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int failed = syscall(SYS_gettimeofday, now, zone);
  struct timespec precise;
  if (failed || (failed = clock_gettime(CLOCK_REALTIME, &precise))) return failed;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now) *now = precise.tv_sec;
  return precise.tv_sec;
}
