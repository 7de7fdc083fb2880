"""Images a second of DenseNet-BC-100-12 in PyTorch: torch_speed.py train|infer plain|tuned [batches a round].

plain: what a user types (NCHW). tuned: channels-last on all processors (PyTorch counts two hyperthreads as one); the
caller sets the allocator's environment variables.
Training is the paper's step: 50 InD and 10 OOD images, one forward and backward pass, Adam. Median of 5 rounds.
torch_speed.py export FILE writes the network as ONNX instead.
torch_speed.py graph IND OOD measures hand-tuned training on a GPU: the step as a CUDA graph, bf16, channels-last.
"""
import os
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

GROWTH, LAYERS, CLASSES = 12, 16, 10


class Layer(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv1 = nn.Conv2d(channels, 4 * GROWTH, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(4 * GROWTH)
        self.conv2 = nn.Conv2d(4 * GROWTH, GROWTH, 3, padding=1, bias=False)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.conv1(self.relu(self.bn1(x)))
        return torch.cat([x, self.conv2(self.relu(self.bn2(y)))], 1)


class Transition(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv1 = nn.Conv2d(channels, channels // 2, 1, bias=False)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return F.avg_pool2d(self.conv1(self.relu(self.bn1(x))), 2)


class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        channels = 2 * GROWTH
        body = [nn.Conv2d(3, channels, 3, padding=1, bias=False)]
        for block in range(3):
            for _ in range(LAYERS):
                body.append(Layer(channels))
                channels += GROWTH
            if block < 2:
                body.append(Transition(channels))
                channels //= 2
        self.body = nn.Sequential(*body, nn.BatchNorm2d(channels), nn.ReLU(inplace=True))
        self.fc = nn.Linear(channels, CLASSES)

    def forward(self, x):
        return self.fc(self.body(x).mean([2, 3]))


def objective(logits, labels, ind):
    f = F.softmax(logits[ind:].float(), 1)
    return F.cross_entropy(logits[:ind].float(), labels) - 0.1 * (1 - (f * f.detach()).sum(1)).mean()


def main(what, how, batches):
    torch.manual_seed(0)
    net = DenseNet()
    size = 60 if what == "train" else 100
    images = torch.randn(size, 3, 32, 32)
    if how == "tuned":
        torch.set_num_threads(os.cpu_count())
        net = net.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    labels = torch.arange(50) % CLASSES
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)

    def train():
        optimiser.zero_grad()
        loss = objective(net(images), labels, 50)
        loss.backward()
        optimiser.step()
        return loss.item()

    def infer():
        with torch.no_grad():
            return net(images)

    step = train if what == "train" else infer
    net.train(what == "train")
    rates = []
    for _ in range(6):
        start = time.perf_counter()
        for _ in range(batches):
            step()
        rates.append(batches * size / (time.perf_counter() - start))
    print("%.1f images/s" % sorted(rates[1:])[2])


def graph(ind, ood):
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    net = DenseNet().cuda().to(memory_format=torch.channels_last)
    images = torch.randn(ind + ood, 3, 32, 32, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.arange(ind, device="cuda") % CLASSES
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3, capturable=True, fused=True)

    def step():
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            logits = net(images)
        objective(logits, labels, ind).backward()
        optimiser.step()

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        step()
    rates = []
    for _ in range(6):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(50):
            recorded.replay()
        torch.cuda.synchronize()
        rates.append(50 * (ind + ood) / (time.perf_counter() - start))
    print("%.1f images/s" % sorted(rates[1:])[2])


def export(file):
    names = {"input_names": ["images"], "output_names": ["logits"]}
    axes = {"images": {0: "count"}, "logits": {0: "count"}}
    torch.onnx.export(DenseNet().eval(), torch.randn(2, 3, 32, 32), file, dynamic_axes=axes, **names)


if sys.argv[1] == "export":
    export(sys.argv[2])
elif sys.argv[1] == "graph":
    graph(int(sys.argv[2]), int(sys.argv[3]))
else:
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 3)
