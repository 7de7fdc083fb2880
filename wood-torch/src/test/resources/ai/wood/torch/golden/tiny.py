"""Writes the *.tiny.safetensors files beside it; see README.md. Plain torch.nn modules, as their authors wrote them."""
import json
import os
import struct

import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))


def conv(i, o, k, stride=1):
    return nn.Conv2d(i, o, k, stride, k // 2, bias=False)


class DenseLayer(nn.Module):
    def __init__(self, i, growth, bottleneck):
        super().__init__()
        self.bottleneck = bottleneck
        self.bn1 = nn.BatchNorm2d(i)
        if bottleneck:
            self.conv1 = conv(i, 4 * growth, 1)
            self.bn2 = nn.BatchNorm2d(4 * growth)
            self.conv2 = conv(4 * growth, growth, 3)
        else:
            self.conv1 = conv(i, growth, 3)

    def forward(self, x):
        y = self.conv1(F.relu(self.bn1(x)))
        if self.bottleneck:
            y = self.conv2(F.relu(self.bn2(y)))
        return torch.cat([x, y], 1)


class DenseBlock(nn.Module):
    def __init__(self, n, i, growth, bottleneck):
        super().__init__()
        self.layer = nn.Sequential(*[DenseLayer(i + k * growth, growth, bottleneck) for k in range(n)])

    def forward(self, x):
        return self.layer(x)


class Transition(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(i)
        self.conv1 = conv(i, o, 1)

    def forward(self, x):
        return F.avg_pool2d(self.conv1(F.relu(self.bn1(x))), 2)


class DenseNet(nn.Module):
    def __init__(self, depth, growth, bottleneck, reduction, channels, classes):
        super().__init__()
        n = (depth - 4) // (6 if bottleneck else 3)
        c = 2 * growth
        self.conv1 = conv(channels, c, 3)
        self.block1 = DenseBlock(n, c, growth, bottleneck)
        c += n * growth
        self.trans1 = Transition(c, int(c * reduction))
        c = int(c * reduction)
        self.block2 = DenseBlock(n, c, growth, bottleneck)
        c += n * growth
        self.trans2 = Transition(c, int(c * reduction))
        c = int(c * reduction)
        self.block3 = DenseBlock(n, c, growth, bottleneck)
        c += n * growth
        self.bn1 = nn.BatchNorm2d(c)
        self.fc = nn.Linear(c, classes)

    def features(self, x):
        x = self.trans1(self.block1(self.conv1(x)))
        x = self.block3(self.trans2(self.block2(x)))
        return F.relu(self.bn1(x)).mean([2, 3])


class BasicBlock(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.conv1 = conv(i, o, 3, stride)
        self.bn1 = nn.BatchNorm2d(o)
        self.conv2 = conv(o, o, 3)
        self.bn2 = nn.BatchNorm2d(o)
        self.downsample = None
        if stride > 1:
            self.downsample = nn.Sequential(conv(i, o, 1, stride), nn.BatchNorm2d(o))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    def __init__(self, width, groups, blocks, channels, classes):
        super().__init__()
        self.conv1 = conv(channels, width, 3)
        self.bn1 = nn.BatchNorm2d(width)
        self.groups = groups
        c = width
        for g in range(1, groups + 1):
            o = width << (g - 1)
            layers = []
            for k in range(blocks):
                layers.append(BasicBlock(c, o, 2 if g > 1 and k == 0 else 1))
                c = o
            setattr(self, "layer%d" % g, nn.Sequential(*layers))
        self.fc = nn.Linear(c, classes)

    def features(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        for g in range(1, self.groups + 1):
            x = getattr(self, "layer%d" % g)(x)
        return x.mean([2, 3])


class WideBlock(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(i)
        self.conv1 = conv(i, o, 3, stride)
        self.bn2 = nn.BatchNorm2d(o)
        self.conv2 = conv(o, o, 3)
        self.convShortcut = None if i == o else conv(i, o, 1, stride)

    def forward(self, x):
        a = F.relu(self.bn1(x))
        y = self.conv2(F.relu(self.bn2(self.conv1(a))))
        return y + (x if self.convShortcut is None else self.convShortcut(a))


class WideGroup(nn.Module):
    def __init__(self, n, i, o, stride):
        super().__init__()
        self.layer = nn.Sequential(*[WideBlock(i if k == 0 else o, o, stride if k == 0 else 1) for k in range(n)])

    def forward(self, x):
        return self.layer(x)


class WideResNet(nn.Module):
    def __init__(self, depth, widen, channels, classes):
        super().__init__()
        n = (depth - 4) // 6
        self.conv1 = conv(channels, 16, 3)
        self.block1 = WideGroup(n, 16, 16 * widen, 1)
        self.block2 = WideGroup(n, 16 * widen, 32 * widen, 2)
        self.block3 = WideGroup(n, 32 * widen, 64 * widen, 2)
        self.bn1 = nn.BatchNorm2d(64 * widen)
        self.fc = nn.Linear(64 * widen, classes)

    def features(self, x):
        x = self.block3(self.block2(self.block1(self.conv1(x))))
        return F.relu(self.bn1(x)).mean([2, 3])


class SmallCnn(nn.Module):
    def __init__(self, width, channels, classes):
        super().__init__()
        self.conv1, self.bn1 = conv(channels, width, 3), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, 2 * width, 3), nn.BatchNorm2d(2 * width)
        self.conv3, self.bn3 = conv(2 * width, 4 * width, 3), nn.BatchNorm2d(4 * width)
        self.fc = nn.Linear(4 * width, classes)

    def features(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        return F.relu(self.bn3(self.conv3(x))).mean([2, 3])


def write(path, tensors):
    header, data = {}, b""
    for name, t in tensors.items():
        t = t.detach().contiguous()
        dtype = {torch.float32: "F32", torch.int64: "I64"}[t.dtype]
        raw = t.numpy().tobytes()
        header[name] = {"dtype": dtype, "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def reference(name, net, channels):
    for m in net.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.weight.data.uniform_(0.5, 1.5)
            m.bias.data.uniform_(-0.5, 0.5)
            m.running_mean.uniform_(-0.2, 0.2)
            m.running_var.uniform_(0.5, 1.5)
    out = dict(net.state_dict())
    out = {k: v.clone() for k, v in out.items()}
    x = torch.rand(8, channels, 12, 12)
    y = torch.arange(8) % 3
    out["/images"], out["/labels"] = x, y
    net.eval()
    out["/features"] = net.features(x)
    out["/logits"] = net.fc(out["/features"])
    net.train()
    loss = F.cross_entropy(net.fc(net.features(x)), y)
    loss.backward()
    out["/loss"] = loss.reshape(1)
    for k, p in net.named_parameters():
        out["/grad/" + k] = p.grad
    for k, b in net.named_buffers():
        if "running" in k:
            out["/after/" + k] = b
    write(os.path.join(HERE, name + ".tiny.safetensors"), out)
    return {k: v for k, v in out.items() if not k.startswith("/")}


torch.manual_seed(0)
torch.set_num_threads(1)
reference("densenet-bc", DenseNet(10, 4, True, 0.5, 3, 3), 3)
reference("densenet", DenseNet(10, 4, False, 1.0, 1, 3), 1)
reference("resnet", ResNet(4, 3, 1, 3, 3), 3)
reference("wideresnet", WideResNet(10, 1, 1, 3), 1)
small = SmallCnn(4, 3, 3)
before = reference("small-cnn", small, 3)


class Script(nn.Module):
    """The same network as TorchScript: logits and features."""

    def __init__(self, net):
        super().__init__()
        self.conv1, self.bn1 = net.conv1, net.bn1
        self.conv2, self.bn2 = net.conv2, net.bn2
        self.conv3, self.bn3 = net.conv3, net.bn3
        self.fc = net.fc

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        x = F.relu(self.bn3(self.conv3(x))).mean([2, 3])
        return self.fc(x), x


small.load_state_dict(before)
torch.jit.script(Script(small)).save(os.path.join(HERE, "small-cnn.tiny.pt"))
