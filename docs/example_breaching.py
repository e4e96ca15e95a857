"""Attacks of the library breaching (github.com/JonasGeiping/breaching) on gauntlet's observations, for the network lenet."""
import numpy as np
import torch
import breaching.attacks

plugin = {
    "attack": "breaching", "version": "1.0", "line": "searches for images by inverting-gradients of the library breaching",
    "citation": "Geiping et al., Inverting Gradients - How easy is it to break privacy in federated learning?, NeurIPS 2020",
    "goals": ["reconstruction", "label"], "data_kinds": ["image"], "flags": ["randomised"], "conditions": ["one_step", "classes"],
    "parameters": [{"id": "steps", "type": "int", "least": 1, "most": 100000, "default": 24000, "help": "steps of the search"},
                   {"id": "rate", "least": 1e-4, "most": 10, "default": 0.1, "help": "size of a step"},
                   {"id": "tv", "least": 0, "most": 10, "default": 0.2, "help": "weight of total variation, of three channels"}],
}

def network(shape, classes):
    """The task's network, here models/lenet.json: its parameters in gauntlet's order, without the normalisation."""
    layers = []
    for inside, stride in ((shape[0], 2), (12, 2), (12, 1)):
        layers += [torch.nn.Conv2d(inside, 12, 5, stride, 2), torch.nn.Sigmoid()]
    places = -(-shape[1] // 4) * -(-shape[2] // 4)
    return torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(12 * places, classes))

class Settings(dict):
    """A dictionary whose keys are members, too; a missing one is None."""
    __getattr__ = dict.get

def settings(steps, rate, tv):
    """The library's config/attack/invertinggradients.yaml; in the sandbox hydra cannot read it."""
    return Settings(
        type="invertinggradients", attack_type="optimization", label_strategy="bias-corrected", init="randn",
        normalize_gradients=False, differentiable_augmentations=False,
        objective=Settings(type="cosine-similarity", scale=1.0, task_regularization=0.0),
        restarts=Settings(num_trials=1, scoring="cosine-similarity"),
        optim=Settings(optimizer="adam", signed="hard", step_size=rate, boxed=True, max_iterations=steps,
                       step_size_decay="step-lr", langevin_noise=0.0, warmup=0, callback=1000),
        regularization=Settings(total_variation=Settings(scale=tv, inner_exp=1, outer_exp=1)),
        impl=Settings(dtype="float", mixed_precision=False))

def run(self, seen, own):
    info = self.host.model.info
    model = network(info.dim, seen.classes)
    if [tuple(p.shape) for p in model.parameters()] != [tuple(p.dim) for p in info.params] or info.n_buffers:
        raise NotImplementedError("network() is another one than the task's")
    if seen.update_kind != "gradient":
        raise NotImplementedError("takes one gradient")
    torch.manual_seed(self.host.below("seed", 1 << 31))
    mean, deviation = (np.full(info.dim[0], v, "f4") if given is None else given.copy()
                       for given, v in ((info.mean, 0), (info.deviation, 1)))
    parts = np.split(seen.weights, np.cumsum([p.count for p in info.params])[:-1])
    payload = {"parameters": [torch.tensor(part.reshape(p.dim)) for part, p in zip(parts, info.params)], "buffers": None,
               "metadata": Settings(shape=tuple(info.dim), mean=mean, std=deviation, modality="vision", classes=seen.classes)}
    shared = {"gradients": [torch.tensor(u) for u in seen.update], "buffers": None,
              "metadata": Settings(num_data_points=int(seen.n), labels=None, local_hyperparams=None)}
    attack = breaching.attacks.prepare_attack(model, torch.nn.CrossEntropyLoss(),
                                              settings(seen.budget or self.steps, self.rate, self.tv))
    found, stats = attack.reconstruct([payload], [shared], {})
    x = found["data"].detach().numpy() * deviation[:, None, None] + mean[:, None, None]
    return {"reconstruction": x, "labels": np.eye(seen.classes, dtype="f4")[found["labels"].numpy()]}
