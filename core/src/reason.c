/* SPDX-License-Identifier: MIT */
#include <regioncore/reason.h>

const char *rgn_reason_name(rgn_reason reason)
{
    switch (reason) {
#define REASON_CASE(identifier, number, name, sentence) \
    case RGN_REASON_##identifier:                       \
        return name;
        RGN_REASONS(REASON_CASE)
#undef REASON_CASE
    }
    return "?";
}

const char *rgn_reason_sentence(rgn_reason reason)
{
    switch (reason) {
#define REASON_CASE(identifier, number, name, sentence) \
    case RGN_REASON_##identifier:                       \
        return sentence;
        RGN_REASONS(REASON_CASE)
#undef REASON_CASE
    }
    return "?";
}
