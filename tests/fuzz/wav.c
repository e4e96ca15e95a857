/* Recordings of AudioMNIST, as they are checked before libsndfile sees them. What libsndfile itself makes of
 * a sound file is not tested here. */
#include "data/wav.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gnt_err err = {0};
    int32_t rate;
    int64_t samples;
    if (fuzz_ok(data_wav_check("tone.wav", data, size, &rate, &samples, &err), &err))
        MUST(rate >= DATA_WAV_LEAST_RATE && rate <= DATA_WAV_MOST_RATE && samples >= 1 &&
             (uint64_t)samples <= size / 2);
    return 0;
}
