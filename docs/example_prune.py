"""prune, in numpy: sets the smallest entries of an update to zero."""
import numpy as np

plugin = {
    "defense": "prune-numpy", "version": "1.0", "line": "sets the smallest entries of each update to zero",
    "families": ["pruning"],
    "parameters": [{"id": "p", "least": 0, "most": 0.99999, "default": 0.9, "scale": "complement", "strength": 1,
                    "help": "fraction of entries that become zero"}],
}

def transform_update(self, client, update):
    flat = np.concatenate([u.ravel() for u in update])
    k = int(np.floor(self.p * flat.size + 1e-9 * (self.p > 0)))
    flat[np.argsort(np.abs(flat), kind="stable")[:k]] = 0
    for u, part in zip(update, np.split(flat, np.cumsum([u.size for u in update])[:-1])):
        u[...] = part.reshape(u.shape)
    self.host.fact("pruned_fraction", k / flat.size)
