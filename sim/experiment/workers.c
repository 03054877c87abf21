/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worker threads take places of the plan in order; the calling thread writes what they finish.
 *
 * One mutex guards the cursor and the list of finished runs. Workers wait when the writer lags behind, so that memory
 * stays bounded by the number of workers. Signals are left to the calling thread. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "experiment/plan.h"
#include "experiment/verify.h"

enum { LOOK_MS = 200 }; /* how often the caller looks at progress and at `stop` */

typedef struct crew crew;

typedef struct {
    crew *crew;
    pthread_t thread;
    _Atomic int64_t now; /* virtual time of the run in hand; 0 between runs */
} worker;

struct crew {
    const sim_experiment *experiment;
    const sim_experiment_control *control;
    pthread_mutex_t lock;
    pthread_cond_t finished_some; /* to the writer */
    pthread_cond_t written_some;  /* to the workers */
    uint32_t next;                /* place to be taken */
    uint32_t waiting;             /* finished and not yet written */
    unsigned working;             /* threads that have not returned */
    sim_finished *first;
    sim_finished **last;
    bool out_of_memory;   /* not even an answer could be made */
    atomic_bool is_ended; /* no more runs: interrupted or failed */
    unsigned count;
    worker *worker;
};

static bool must_end(crew *self)
{
    return atomic_load(&self->is_ended) || atomic_load(self->control->stop);
}

/* Run ids are places in the plan, counted from 1. */
static bool is_done(const crew *self, uint32_t place)
{
    return self->control->is_done != NULL && self->control->is_done[place];
}

static bool on_progress(void *context, int64_t now)
{
    worker *self = context;
    atomic_store(&self->now, now);
    return !must_end(self->crew);
}

/* With the lock held: the next place, or false when there is nothing more to do. */
static bool take(crew *self, sim_plan_place *place)
{
    while (self->waiting >= 2 * self->count && !must_end(self))
        (void)pthread_cond_wait(&self->written_some, &self->lock);
    const uint32_t size = sim_plan_size(self->experiment);
    while (self->next < size && is_done(self, self->next))
        self->next++;
    if (must_end(self) || self->next == size)
        return false;
    *place = sim_plan_at(self->experiment, self->next++);
    return true;
}

/* With the lock held. */
static void hand_over(crew *self, sim_finished *finished)
{
    if (finished == NULL) {
        self->out_of_memory = true;
        atomic_store(&self->is_ended, true);
    } else {
        *self->last = finished;
        self->last = &finished->next;
        self->waiting++;
    }
    (void)pthread_cond_signal(&self->finished_some);
}

static void *work(void *context)
{
    worker *self = context;
    crew *all = self->crew;
    sim_plan_place place;
    (void)pthread_mutex_lock(&all->lock);
    while (take(all, &place)) {
        (void)pthread_mutex_unlock(&all->lock);
        sim_finished *finished = sim_run_place(all->experiment, place, all->experiment->input.mode, on_progress, self);
        if (all->experiment->input.is_verified && finished != NULL && finished->status == SIM_RUN_OK)
            sim_verify(all->experiment, finished, on_progress, self);
        (void)pthread_mutex_lock(&all->lock);
        atomic_store(&self->now, 0);
        hand_over(all, finished);
    }
    all->working--;
    (void)pthread_cond_signal(&all->finished_some);
    (void)pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* With the lock held: waits for something to do, at most LOOK_MS. */
static void wait_for_some(crew *self)
{
    struct timespec until = {0};
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)LOOK_MS * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    (void)pthread_cond_timedwait(&self->finished_some, &self->lock, &until);
}

/* With the lock held: all finished runs, oldest first. */
static sim_finished *take_finished(crew *self)
{
    sim_finished *all = self->first;
    self->first = NULL;
    self->last = &self->first;
    self->waiting = 0;
    (void)pthread_cond_broadcast(&self->written_some);
    return all;
}

static void note_failure(crew *self, const sim_finished *finished, sim_experiment_result *result)
{
    atomic_store(&self->is_ended, true);
    if (result->status != SIM_EXPERIMENT_OK)
        return;
    result->status = SIM_EXPERIMENT_RUN;
    result->scenario = finished->place.scenario;
    result->policy = finished->place.policy;
    result->replication = finished->place.replication;
    result->run_status = finished->status;
    (void)snprintf(result->what, sizeof result->what, "%s", finished->what == NULL ? "" : finished->what);
}

static bool write_run(const sim_experiment_control *control, sim_store *store, const sim_store_run *run,
                      sim_store_error *error)
{
    return control->write != NULL ? control->write(control->write_context, run, error)
                                  : sim_store_write_run(store, run, error);
}

static void write_one(crew *self, sim_store *store, const sim_finished *finished, sim_experiment_result *result)
{
    if (finished->status == SIM_RUN_INTERRUPTED)
        return;
    if (finished->status != SIM_RUN_OK) {
        note_failure(self, finished, result);
        return;
    }
    if (result->status == SIM_EXPERIMENT_STORE)
        return;
    const sim_plan_place place = finished->place;
    const sim_store_run run = {
        .id = place.index + 1,
        .scenario = self->experiment->input.scenario[place.scenario],
        .policy = self->experiment->input.policy[place.policy],
        .output = &finished->output,
        .metrics = &finished->metrics,
        .result = finished->result,
        .sample_count = finished->sample.count,
        .sample = finished->sample.story,
        .timing = {.started_unix_s = finished->started_unix_s,
                   .elapsed_ns = finished->elapsed_ns,
                   .event_mode = self->experiment->input.mode == SIM_MODE_FAST ? "fast" : "reference",
                   .command_line = self->control->command_line,
                   .jobs = self->control->jobs,
                   .cpus = self->control->cpus},
    };
    if (write_run(self->control, store, &run, &result->store)) {
        result->done++;
    } else if (result->store.status != SIM_STORE_BUSY || !atomic_load(self->control->stop)) {
        result->status = SIM_EXPERIMENT_STORE;
        atomic_store(&self->is_ended, true);
    }
}

static void tell_progress(crew *self, const sim_experiment_result *result)
{
    if (self->control->on_progress == NULL)
        return;
    const sim_experiment_input *input = &self->experiment->input;
    double total = 0;
    double done = 0;
    for (uint32_t i = 0; i < sim_plan_size(self->experiment); i++) {
        const double duration = (double)input->scenario[sim_plan_at(self->experiment, i).scenario]->duration;
        total += duration;
        done += i < result->done ? duration : 0;
    }
    for (unsigned i = 0; i < self->count; i++)
        done += (double)atomic_load(&self->worker[i].now);
    self->control->on_progress(self->control->progress_context, result->done,
                               total > 0 && done < total ? done / total : 1);
}

static void write_all(crew *self, sim_store *store, sim_experiment_result *result)
{
    (void)pthread_mutex_lock(&self->lock);
    while (self->working > 0 || self->first != NULL) {
        if (self->first == NULL)
            wait_for_some(self);
        sim_finished *finished = take_finished(self);
        (void)pthread_mutex_unlock(&self->lock);
        while (finished != NULL) {
            sim_finished *next = finished->next;
            write_one(self, store, finished, result);
            sim_finished_free(finished);
            finished = next;
        }
        tell_progress(self, result);
        (void)pthread_mutex_lock(&self->lock);
    }
    (void)pthread_mutex_unlock(&self->lock);
}

/* Threads with every signal blocked; fewer than asked for is no failure, none is. */
static void start(crew *self, unsigned jobs)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    (void)pthread_mutex_lock(&self->lock);
    for (; self->count < jobs; self->count++) {
        worker *one = &self->worker[self->count];
        one->crew = self;
        if (pthread_create(&one->thread, NULL, work, one) != 0)
            break;
        self->working++;
    }
    (void)pthread_mutex_unlock(&self->lock);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

sim_experiment_result sim_experiment_run(sim_experiment *experiment, sim_store *store,
                                         const sim_experiment_control *control)
{
    sim_experiment_result result = {0};
    const uint32_t size = sim_plan_size(experiment);
    const unsigned jobs = control->jobs < size ? control->jobs : size;
    crew self = {.experiment = experiment, .control = control, .worker = calloc(jobs, sizeof *self.worker)};
    self.last = &self.first;
    for (uint32_t i = 0; i < size; i++)
        result.done += is_done(&self, i);
    (void)pthread_mutex_init(&self.lock, NULL);
    (void)pthread_cond_init(&self.finished_some, NULL);
    (void)pthread_cond_init(&self.written_some, NULL);
    if (self.worker != NULL)
        start(&self, jobs);
    write_all(&self, store, &result);
    for (unsigned i = 0; i < self.count; i++)
        (void)pthread_join(self.worker[i].thread, NULL);
    if (result.status == SIM_EXPERIMENT_OK && (self.out_of_memory || self.count == 0)) {
        result.status = SIM_EXPERIMENT_RUN;
        result.run_status = SIM_RUN_NO_MEMORY;
    } else if (result.status == SIM_EXPERIMENT_OK && result.done < size) {
        result.status = SIM_EXPERIMENT_INTERRUPTED;
    }
    (void)pthread_cond_destroy(&self.written_some);
    (void)pthread_cond_destroy(&self.finished_some);
    (void)pthread_mutex_destroy(&self.lock);
    free(self.worker);
    return result;
}
