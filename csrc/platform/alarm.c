#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* timer_create with SIGEV_THREAD_ID, gettid */
#endif
#include "platform/alarm.h"

/* Signals belong to the program: a library that is part of it takes none. */
#if defined(__linux__) && !defined(TARE_EMBEDDED)

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { AGAIN_NS = 20000000 };

/* A signal that the system does not use, and hardly any program. */
static int signal_number(void) {
  return SIGRTMAX - 2;
}

static void on_signal(int number, siginfo_t *info, void *context) {
  tare_alarm *a;
  (void)number;
  (void)context;
  if (info->si_code != SI_TIMER) return;
  a = (tare_alarm *)info->si_value.sival_ptr;
  if (a->is_armed) a->ring(a->ud);
}

/*
** Installs the handler for the process. It stays installed: threads that
** measure at the same time share it, and without a timer of ours nothing calls
** it.
*/
static int handle_signal(void) {
  struct sigaction now, ours;
  if (sigaction(signal_number(), NULL, &now) != 0) return 0;
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal) return 1;
  if ((now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL) return 0;
  memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  return sigaction(signal_number(), &ours, NULL) == 0;
}

static int make_timer(tare_alarm *a, long thread) {
  struct sigevent event;
  timer_t timer;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number();
  event.sigev_value.sival_ptr = a;
  event.sigev_notify_thread_id = (int)thread;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 0;
  a->timer = (void *)timer;
  a->thread = thread;
  a->process = (long)getpid();
  return 1;
}

/*
** Whether there is a timer. After a fork the child has none: there, the number
** of the parent's timer may be that of another one.
*/
static int has_timer(const tare_alarm *a) {
  return a->thread != 0 && a->process == (long)getpid();
}

static void set_timer(tare_alarm *a, uint64_t ns) {
  struct itimerspec when;
  memset(&when, 0, sizeof when);
  when.it_value.tv_sec = (time_t)(ns / 1000000000u);
  when.it_value.tv_nsec = (long)(ns % 1000000000u);
  when.it_interval.tv_nsec = AGAIN_NS;
  (void)timer_settime((timer_t)a->timer, 0, &when, NULL);
}

const char *tare_alarm_begin(tare_alarm *a, uint64_t ns) {
  long thread = syscall(SYS_gettid);
  if (a->thread != thread) { /* the state has moved to another thread */
    tare_alarm_free(a);
    if (!handle_signal()) return "its signal is in use";
    if (!make_timer(a, thread)) return "the system gives no timer";
  }
  a->is_armed = 1;
  set_timer(a, ns);
  return NULL;
}

void tare_alarm_end(tare_alarm *a) {
  a->is_armed = 0;
  if (has_timer(a)) set_timer(a, 0);
}

void tare_alarm_free(tare_alarm *a) {
  a->is_armed = 0;
  if (has_timer(a)) (void)timer_delete((timer_t)a->timer);
  a->thread = 0;
}

#else

const char *tare_alarm_begin(tare_alarm *a, uint64_t ns) {
  (void)a;
  (void)ns;
  return "there is no timer for that here";
}

void tare_alarm_end(tare_alarm *a) {
  (void)a;
}

void tare_alarm_free(tare_alarm *a) {
  (void)a;
}

#endif
