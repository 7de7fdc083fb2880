"""Makes pytorch.onnx, a classifier as PyTorch's own exporter (1.13) writes it, and what PyTorch says about eight images.

python3 pytorch.py, in this folder. pytorch-images.u8: 8 x 3 x 16 x 16 bytes; pytorch-logits.f32 and pytorch-features.f32: a row an image,
little endian. Images are normalised by mean 0.485, 0.456, 0.406 and deviation 0.229, 0.224, 0.225.
"""
import numpy as np
import torch
from torch import nn

torch.manual_seed(3)
features = nn.Sequential(
    nn.Conv2d(3, 6, 3, stride=2, padding=1), nn.BatchNorm2d(6), nn.ReLU(),
    nn.Conv2d(6, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten())
network = nn.Sequential(features, nn.Linear(8, 5), nn.Softmax(dim=1))
for module in network.modules():
    if isinstance(module, nn.BatchNorm2d):
        nn.init.uniform_(module.weight, 0.5, 1.5)
        nn.init.uniform_(module.bias, -0.5, 0.5)
        nn.init.uniform_(module.running_mean, -0.5, 0.5)
        nn.init.uniform_(module.running_var, 0.5, 1.5)
network.eval()
images = np.random.default_rng(3).integers(0, 256, (8, 3, 16, 16), dtype=np.uint8)
mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
deviation = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
x = (torch.from_numpy(images).float() / 255 - mean) / deviation
torch.onnx.export(network, x, "pytorch.onnx", input_names=["x"], output_names=["y"],
                  dynamic_axes={"x": {0: "n", 2: "h", 3: "w"}, "y": {0: "n"}}, opset_version=13)
with torch.no_grad():
    said = features(x)
    images.tofile("pytorch-images.u8")
    said.numpy().astype("<f4").tofile("pytorch-features.f32")
    network[1](said).numpy().astype("<f4").tofile("pytorch-logits.f32")
