"""An attack: in the gradient of a dense layer each row is the layer's input times the entry of the bias.
Dividing one by the other gives the input: for the first layer, the private sample."""
import numpy as np

plugin = {
    "attack": "plugin-name",
    "version": "0.1",
    "line": "divides a row of the first layer's gradient by its bias",
    "licence": "MIT",
    "flags": ["first_dense"],  # n/a unless the model's first layer is dense
    "conditions": ["one_sample"],  # n/a for batches
    "parameters": [
        {"id": "least", "least": 0, "most": 1, "default": 0, "help": "least bias gradient to divide by"},
    ],
}


def run(self, seen, own):
    """Reads an observation, returns the answer."""
    info = self.host.model.info
    weight, bias = seen.update[:2]
    unit = np.argmax(np.abs(bias))
    if not np.abs(bias[unit]) > self.least:
        raise NotImplementedError("the first layer's bias has no gradient above `least`: lower it")
    x = (weight[unit] / bias[unit]).reshape(info.dim)
    if info.mean is not None:  # models may normalise each channel
        channels = (-1,) + (1,) * (len(info.dim) - 1)
        x = x * info.deviation.reshape(channels) + info.mean.reshape(channels)
    return {"reconstruction": x[None]}
