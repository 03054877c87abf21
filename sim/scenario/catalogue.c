/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario/catalogue.h"

#include <stdbool.h>

/* A region's number keys its luck in every run ever made: names are only ever appended, never moved or removed. */
static const char *const names[] = {
    /* Azure, from number 0 */
    "australiacentral",
    "australiacentral2",
    "australiaeast",
    "australiasoutheast",
    "austriaeast",
    "belgiumcentral",
    "brazilsouth",
    "canadacentral",
    "canadaeast",
    "centralindia",
    "centralus",
    "denmarkeast",
    "eastasia",
    "eastus",
    "eastus2",
    "francecentral",
    "francesouth",
    "germanynorth",
    "germanywestcentral",
    "indonesiacentral",
    "israelcentral",
    "italynorth",
    "japaneast",
    "japanwest",
    "jioindiawest",
    "koreacentral",
    "koreasouth",
    "malaysiawest",
    "mexicocentral",
    "newzealandnorth",
    "northcentralus",
    "northeurope",
    "norwayeast",
    "norwaywest",
    "polandcentral",
    "qatarcentral",
    "southafricanorth",
    "southafricawest",
    "southcentralus",
    "southeastasia",
    "southindia",
    "spaincentral",
    "swedencentral",
    "switzerlandnorth",
    "switzerlandwest",
    "uaecentral",
    "uaenorth",
    "uksouth",
    "ukwest",
    "westcentralus",
    "westeurope",
    "westindia",
    "westus",
    "westus2",
    "westus3",
    /* Amazon Web Services, from number 55 */
    "af-south-1",
    "ap-east-1",
    "ap-northeast-1",
    "ap-south-1",
    "ap-southeast-1",
    "ap-southeast-2",
    "ca-central-1",
    "eu-central-1",
    "eu-north-1",
    "eu-south-1",
    "eu-west-1",
    "eu-west-2",
    "eu-west-3",
    "me-south-1",
    "sa-east-1",
    "us-east-1",
    "us-east-2",
    "us-west-1",
    "us-west-2",
    /* Google Cloud, from number 74 */
    "asia-east1",
    "asia-east2",
    "asia-northeast1",
    "asia-northeast2",
    "asia-south1",
    "asia-southeast1",
    "australia-southeast1",
    "europe-north1",
    "europe-west1",
    "europe-west2",
    "europe-west3",
    "europe-west4",
    "europe-west6",
    "northamerica-northeast1",
    "southamerica-east1",
    "us-central1",
    "us-east1",
    "us-east4",
    "us-west1",
    "us-west2",
};

/* Steps over spaces and folds to lower case. */
static char next_letter(const char **text)
{
    while (**text == ' ')
        (*text)++;
    const char c = **text;
    if (c != '\0')
        (*text)++;
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same(const char *a, const char *b)
{
    for (;;) {
        const char x = next_letter(&a);
        const char y = next_letter(&b);
        if (x != y)
            return false;
        if (x == '\0')
            return true;
    }
}

uint16_t sim_catalogue_find(const char *name)
{
    for (size_t i = 0; i < sim_catalogue_count(); i++) {
        if (is_same(name, names[i]))
            return (uint16_t)i;
    }
    return SIM_CATALOGUE_NONE;
}

const char *sim_catalogue_name(uint16_t number)
{
    return number < sim_catalogue_count() ? names[number] : NULL;
}

size_t sim_catalogue_count(void)
{
    return sizeof names / sizeof *names;
}
