"""Runs the lines of docs/captures.md for Flower and NVFlare: python3 federations.py FOLDER writes FOLDER/flower/7 and
FOLDER/nvflare/0 and 1.

With Flower's or NVFlare's own client code where Python finds it, else with a stand-in of the same interface. Prints
which. Needs PyTorch.
"""
import os
import re
import sys
import threading
import types

import torch
from torch import nn

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(TOP, "tools"))
import capture  # noqa: E402

folder = sys.argv[1]
PAGE = open(os.path.join(TOP, "docs", "captures.md"), encoding="utf-8").read()


def lines(heading, place):
    """The block of Python below a heading, which writes its captures into the folder `place`."""
    code = re.search(rf"### {heading}\n.*?```python\n(.*?)```", PAGE, re.S).group(1)
    return code.replace("kept/", f"{folder}/{place}/").replace('"metrics": …', '"metrics": METRICS')


class Net(nn.Module):
    """models/cnn_mnist.json."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 5, padding=2), nn.Conv2d(32, 64, 5, padding=2)
        self.fc1, self.fc2 = nn.Linear(3136, 512), nn.Linear(512, 10)

    def forward(self, x):
        for conv in self.conv1, self.conv2:
            x = nn.functional.max_pool2d(torch.relu(conv(x)), 2)
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def train_locally(net):
    sgd = torch.optim.SGD(net.parameters(), lr=0.05)
    batches = [(torch.rand(8, 1, 28, 28), torch.randint(10, (8,))) for _ in range(2)]
    for x, y in batches:
        sgd.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        sgd.step()
    return batches


def flower():
    """What the lines use of Flower, and a message with weights from a server."""
    start = Net().state_dict()
    try:
        from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
        from flwr.clientapp import ClientApp
        content = RecordDict({"arrays": ArrayRecord(start)})
        message = Message(content, dst_node_id=7, message_type="train")
        context = Context(run_id=1, node_id=7, node_config={}, state=RecordDict(), run_config={})
        print("flower: its own")
        return ClientApp, ArrayRecord, RecordDict, Message, MetricRecord({"samples": 16}), message, context
    except ImportError:
        print("flower: stand-in")

    class ClientApp:
        def train(self):
            return lambda function: setattr(self, "function", function) or function

        def __call__(self, message, context):
            return self.function(message, context)

    class ArrayRecord:
        def __init__(self, arrays):
            self.arrays = {name: value.detach().numpy().copy() for name, value in arrays.items()}

        def to_torch_state_dict(self):
            return {name: torch.from_numpy(value.copy()) for name, value in self.arrays.items()}

    def message(content, reply_to=None):
        return types.SimpleNamespace(content=content, reply_to=reply_to)

    return (ClientApp, ArrayRecord, dict, message, {}, message({"arrays": ArrayRecord(start)}), types.SimpleNamespace(node_id=7))


def run_flower():
    ClientApp, ArrayRecord, RecordDict, Message, metrics, message, context = flower()
    names = {"app": ClientApp(), "net": Net(), "train_locally": train_locally, "torch": torch, "capture": capture,
             "ArrayRecord": ArrayRecord, "RecordDict": RecordDict, "Message": Message, "METRICS": metrics}
    exec(lines("In Flower", "flower"), names)
    reply = names["app"](message, context)
    sent = reply.content["arrays"].to_torch_state_dict()
    assert all(torch.equal(sent[name], value) for name, value in names["net"].state_dict().items())


class Rounds:
    """A stand-in for nvflare.client: two rounds, whose weights are what was sent in the one before."""

    def __init__(self):
        self.weights, self.round = {name: value.numpy() for name, value in Net().state_dict().items()}, 0

    def init(self):
        pass

    def is_running(self):
        return self.round < 2

    def receive(self):
        return types.SimpleNamespace(params=self.weights, current_round=self.round)

    @staticmethod
    def FLModel(params):
        return types.SimpleNamespace(params=params)

    def send(self, model):
        self.weights = {name: value.detach().numpy().copy() for name, value in model.params.items()}
        self.round += 1


def in_process():
    """NVFlare's client API as a job's process has it: two rounds come over its data bus."""
    import nvflare.client as flare
    from nvflare.apis.fl_constant import FLMetaKey
    from nvflare.app_common.utils.fl_model_utils import FLModelUtils
    from nvflare.client.api_spec import CLIENT_API_KEY
    from nvflare.client.in_process.api import TOPIC_GLOBAL_RESULT, TOPIC_LOCAL_RESULT, TOPIC_STOP, InProcessClientAPI
    from nvflare.fuel.data_event.data_bus import DataBus
    bus, api = DataBus(), InProcessClientAPI({FLMetaKey.JOB_ID: "job", FLMetaKey.SITE_NAME: "site"}, 0.1)
    bus.put_data(CLIENT_API_KEY, api)

    def give(weights, number):
        model = flare.FLModel(params=weights, current_round=number, total_rounds=2)
        bus.publish([TOPIC_GLOBAL_RESULT], FLModelUtils.to_shareable(model))

    def received(topic, result, _):
        weights = FLModelUtils.from_shareable(result).params
        received.round += 1
        answer = (give, (weights, received.round)) if received.round < 2 else (bus.publish, ([TOPIC_STOP], "done"))
        threading.Timer(0.5, *answer).start()  # a server answers when the client has sent

    received.round = 0
    bus.subscribe([TOPIC_LOCAL_RESULT], received)
    init = flare.init

    def first():
        init()
        give({name: value.numpy() for name, value in Net().state_dict().items()}, 0)

    flare.init = first
    return flare


def run_nvflare():
    try:
        flare = in_process()
        print("nvflare: its own")
    except ImportError:
        flare = Rounds()
        print("nvflare: stand-in")
    exec(lines("In NVFlare", "nvflare"), {"flare": flare, "net": Net(), "train_locally": train_locally, "torch": torch,
                                          "capture": capture})


torch.manual_seed(1)
run_flower()
run_nvflare()
