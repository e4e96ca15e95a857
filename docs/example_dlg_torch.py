"""dlg, in PyTorch, for the network lenet: searches for the sample whose gradient is the observed one."""
import numpy as np
import torch
import torch.nn.functional as F

plugin = {
    "attack": "dlg-torch", "version": "1.0", "line": "searches for a sample with the observed gradient, in PyTorch",
    "citation": "Zhu, Liu and Han, Deep Leakage from Gradients, NeurIPS 2019",
    "flags": ["randomised"], "conditions": ["one_sample", "one_step", "classes"],
    "parameters": [{"id": "steps", "type": "int", "least": 1, "most": 10000, "default": 15,
                    "help": "calls of L-BFGS, of 20 iterations each"}],
}

def lenet(x, w):
    for k, stride in ((0, 2), (2, 2), (4, 1)):
        x = torch.sigmoid(F.conv2d(x, w[k], w[k + 1], stride=stride, padding=2))
    return F.linear(x.flatten(1), w[6], w[7])

def run(self, seen, own):
    info = self.host.model.info
    if [layer.type for layer in info.layers] != ["conv", "sigmoid"] * 3 + ["flatten", "dense"]:
        raise NotImplementedError("this is for the network lenet")
    if seen.n > 1 or seen.update_kind != "gradient":
        raise NotImplementedError("searches for one sample in one gradient")
    parts = np.split(seen.weights, np.cumsum([p.count for p in info.params])[:-1])
    weights = [torch.tensor(part.reshape(p.dim), requires_grad=True) for part, p in zip(parts, info.params)]
    observed = [torch.tensor(u) for u in seen.update]
    label = torch.tensor([int(np.argmin(seen.update[-1]))])  # as in iDLG
    x = torch.tensor(self.host.normal("start", (1, *info.dim)), requires_grad=True)
    optimizer = torch.optim.LBFGS([x], history_size=100, line_search_fn="strong_wolfe")

    def cost():
        optimizer.zero_grad()
        loss = F.cross_entropy(lenet(x, weights), label)
        gradients = torch.autograd.grad(loss, weights, create_graph=True)
        distance = sum(((g - o) ** 2).sum() for g, o in zip(gradients, observed))
        distance.backward()
        return distance

    for step in range(self.steps):
        if self.host.should_stop():
            break
        self.host.cost(0, step, float(optimizer.step(cost)))
    return {"reconstruction": x.detach().numpy()}
