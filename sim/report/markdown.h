/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report of the size of a comment on a change: the answer, objectives, failed expectations, the rest folded away. */
#ifndef SIM_REPORT_MARKDOWN_H
#define SIM_REPORT_MARKDOWN_H

#include "report/source.h"

/* False: no memory. */
bool rep_markdown_write(const rep_source *source, FILE *out);

#endif
