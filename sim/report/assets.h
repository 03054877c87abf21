/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every report carries with it: files of reports/ that embed.py makes a C file of. */
#ifndef SIM_REPORT_ASSETS_H
#define SIM_REPORT_ASSETS_H

#include <stddef.h>

typedef struct {
    size_t size;
    const char *hash; /* "sha256-...", as a content security policy names a script */
    const char *text;
} rep_asset;

extern const rep_asset rep_asset_style;   /* reports/page/report.css */
extern const rep_asset rep_asset_script;  /* reports/page/: save.js, charts.js, report.js */
extern const rep_asset rep_asset_plot;    /* reports/vendor/plot.min.js */
extern const rep_asset rep_asset_notices; /* reports/vendor/NOTICES */

#endif
