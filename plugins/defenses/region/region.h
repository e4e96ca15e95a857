/* region: defenses of sensitive regions of samples, by noise in updates or in pixels. */
#ifndef REGION_H
#define REGION_H

#include "gauntlet/plugin.h"

extern const gnt_descriptor fedre_descriptor, fedre_sample_descriptor, uniform_descriptor, pda_pam_descriptor,
    blur_lus_descriptor, pixel_noise_descriptor;

#define FEDRE_PAPER                                                                                          \
    "FedRE: Robust and Effective Federated Learning with Privacy Preference, ICMR 2025, section 3.2"

/* Rows of psi's parameters, in the tables of fedre and pda-pam. */
#define SAMPLES_ROW(T, whose)                                                                                \
    GNT_INT(T, samples, 1, 1000, 10, "samples", "scores are a mean over at most so many " whose " samples")
#define PROBES_ROW(T)                                                                                        \
    GNT_INT(T, probes, 0, 1000, 16, "directions",                                                            \
            "random directions by which each layer is measured, which makes scores too small by a share "    \
            "of about 1/(4·probes); 0: exactly, one product for each entry of the region")

#endif
