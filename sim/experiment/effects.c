/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/effects.h"

#include <gsl/gsl_multifit.h>
#include <stdlib.h>

typedef struct {
    gsl_multifit_linear_workspace *work;
    gsl_matrix *design;
    gsl_matrix *covariance;
    gsl_vector *answer;
    gsl_vector *slope;
    double *slopes; /* [column * replications + replication] */
} fitting;

static bool make_room(fitting *self, size_t points, size_t columns, size_t replications)
{
    self->work = gsl_multifit_linear_alloc(points, columns + 1);
    self->design = gsl_matrix_alloc(points, columns + 1);
    self->covariance = gsl_matrix_alloc(columns + 1, columns + 1);
    self->answer = gsl_vector_alloc(points);
    self->slope = gsl_vector_alloc(columns + 1);
    self->slopes = calloc(columns * replications + 1, sizeof *self->slopes);
    return self->work != NULL && self->design != NULL && self->covariance != NULL && self->answer != NULL &&
           self->slope != NULL && self->slopes != NULL;
}

static void free_room(fitting *self)
{
    if (self->work != NULL)
        gsl_multifit_linear_free(self->work);
    gsl_matrix_free(self->design);
    gsl_matrix_free(self->covariance);
    gsl_vector_free(self->answer);
    gsl_vector_free(self->slope);
    free(self->slopes);
}

static void fill_design(fitting *self, const double *column, size_t points, size_t columns)
{
    for (size_t p = 0; p < points; p++) {
        gsl_matrix_set(self->design, p, 0, 1);
        for (size_t c = 0; c < columns; c++)
            gsl_matrix_set(self->design, p, c + 1, column[p * columns + c]);
    }
}

/* False: the columns do not tell the effects apart. */
static bool fit_one(fitting *self, const double *answer, size_t points, size_t columns, size_t replications, size_t r)
{
    double squares = 0;
    for (size_t p = 0; p < points; p++)
        gsl_vector_set(self->answer, p, answer[p]);
    if (gsl_multifit_linear(self->design, self->answer, self->slope, self->covariance, &squares, self->work) != 0 ||
        gsl_multifit_linear_rank(1e-9, self->work) <= columns)
        return false;
    for (size_t c = 0; c < columns; c++)
        self->slopes[c * replications + r] = gsl_vector_get(self->slope, c + 1);
    return true;
}

bool sim_effects_fit(const double *column, size_t points, size_t columns, const double *answer, size_t replications,
                     sim_effect *effect)
{
    if (points < columns + 2 || replications < 2)
        return false;
    fitting self = {0};
    bool ok = make_room(&self, points, columns, replications);
    if (ok)
        fill_design(&self, column, points, columns);
    for (size_t r = 0; ok && r < replications; r++)
        ok = fit_one(&self, answer + r * points, points, columns, replications, r);
    for (size_t c = 0; ok && c < columns; c++) {
        const sim_estimate estimate = sim_mean_estimate(self.slopes + c * replications, replications);
        effect[c] = (sim_effect){estimate.value, sim_t_interval(&estimate)};
    }
    free_room(&self);
    return ok;
}
