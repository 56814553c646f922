// Adds CLOCK_OFFSET seconds to the time of day. libfaketime cannot: it and jemalloc, which Redis is
// linked with, each wait for the other to start.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// Not getenv: that of a program may not be ready when its first thread asks for the time.
static long offset(void) {
  static const char name[] = "CLOCK_OFFSET=";
  static long known;
  static int is_known;
  if (!is_known && environ) {
    for (char **entry = environ; *entry; entry++) {
      const char *at = *entry, *expected = name;
      while (*expected && *at == *expected) at++, expected++;
      if (!*expected) known = strtol(at, NULL, 10);
    }
    is_known = 1;
  }
  return known;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int failed = syscall(SYS_gettimeofday, now, zone);
  if (!failed) now->tv_sec += offset();
  return failed;
}

time_t time(time_t *now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now) *now = precise.tv_sec;
  return precise.tv_sec;
}
