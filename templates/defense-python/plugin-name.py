"""A defense: adds normal noise to each tensor of an update, in proportion to its root mean square."""
import numpy as np

plugin = {
    "defense": "plugin-name",
    "version": "0.1",
    "line": "adds noise in proportion to each tensor",
    "licence": "MIT",
    "families": ["noise"],  # the mechanism, by the name under which attacks adapt to it
    "flags": ["randomised"],
    "parameters": [
        # strength 1: the larger it is, the stronger is the defense; searches take equal steps on its logarithm
        {"id": "noise", "least": 1e-3, "most": 1e3, "default": 1, "scale": "log", "strength": 1,
         "help": "standard deviation of the noise, per root mean square of the tensor"},
    ],
}


def transform_update(self, client, update):
    """Modifies the update in place, after the client computed it."""
    for u in update:
        scale = self.noise * np.sqrt(np.mean(u.astype("f8") ** 2))
        u += np.float32(scale) * self.host.normal("noise", u.shape)
