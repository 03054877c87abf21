/* SPDX-License-Identifier: MIT */
/* RGN_API marks the functions that the shared library offers; everything else stays inside it. Programs need no macro
 * of their own to use the library, static or shared. */
#ifndef REGIONCORE_EXPORT_H
#define REGIONCORE_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define RGN_API __attribute__((visibility("default")))
#else
#define RGN_API
#endif

#endif
