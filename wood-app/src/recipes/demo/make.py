"""Makes the outputs bundled with the demo: logits of a real classifier on real images.

Network: DenseNet-BC-100-12 trained by the paper's authors on CIFAR-10 with WOOD (binary cost) against SVHN
(their public repository, MIT licence), 7x7 final pooling, inputs (pixel/255 - 0.5)/0.5.
usage: make.py NETWORK.safetensors DATA_DIR OUT_DIR   (PyTorch, NumPy, Pillow)
"""
import json, struct, sys
import numpy as np, torch, torch.nn.functional as F
from PIL import Image

def weights(path):
    raw = open(path, 'rb').read(); n = struct.unpack('<Q', raw[:8])[0]; head = json.loads(raw[8:8 + n])
    return {k: torch.from_numpy(np.frombuffer(raw[8 + n:][v['data_offsets'][0]:v['data_offsets'][1]], '<f4').reshape(v['shape']).copy())
            for k, v in head.items() if k != '__metadata__' and v['dtype'] == 'F32'}

def network(w, x):
    def bn(x, p): return F.relu(F.batch_norm(x, w[p + '.running_mean'], w[p + '.running_var'], w[p + '.weight'], w[p + '.bias']))
    def block(x, p):
        for i in range(16):
            q = f'{p}.layer.{i}'
            y = F.conv2d(bn(x, q + '.bn1'), w[q + '.conv1.weight'])
            x = torch.cat([x, F.conv2d(bn(y, q + '.bn2'), w[q + '.conv2.weight'], padding=1)], 1)
        return x
    def trans(x, p): return F.avg_pool2d(F.conv2d(bn(x, p + '.bn1'), w[p + '.conv1.weight']), 2)
    x = F.conv2d(x, w['conv1.weight'], padding=1)
    x = block(trans(block(trans(block(x, 'block1'), 'trans1'), 'block2'), 'trans2'), 'block3')
    return F.linear(F.avg_pool2d(bn(x, 'bn1'), 7).flatten(1), w['fc.weight'], w['fc.bias'])

def cifar(path):
    rec = np.fromfile(path, np.uint8).reshape(-1, 3073)
    return rec[:, 1:].reshape(-1, 3, 32, 32), rec[:, 0]

def svhn(path):   # a MAT v5 file of 32 x 32 x 3 x N bytes, read by hand: NumPy and zlib only
    import zlib
    raw = open(path, 'rb').read(); pos = 128
    while pos < len(raw):
        t, n = struct.unpack('<II', raw[pos:pos + 8]); body = raw[pos + 8:pos + 8 + n]; pos += 8 + n
        if t == 15: body = zlib.decompress(body); body = body[8:]
        if b'X' in body[:64]:
            n = len(body); count = 26032; px = np.frombuffer(body[n - count * 3072 - (-count * 3072) % 8:][:count * 3072], np.uint8)
            return px.reshape(count, 3, 32, 32).transpose(0, 1, 3, 2)

if __name__ == '__main__':
    torch.set_grad_enabled(False); torch.set_num_threads(1)
    net, data, out = sys.argv[1:4]; w = weights(net); rng = np.random.RandomState(7)
    def logits(px):
        px = np.ascontiguousarray(px); res = []
        for i in range(0, len(px), 100):
            x = torch.from_numpy(px[i:i + 100]).float().div(255).sub(.5).div(.5)
            res.append(network(w, x.contiguous(memory_format=torch.channels_last)).numpy()); print(i, len(px), flush=True)
        return np.concatenate(res).astype('<f4')
    x, y = cifar(data + '/cifar10/test_batch.bin'); order = rng.permutation(10000)
    cal, test = order[:2000], order[2000:4000]
    np.save(out + '/cifar10-validation-logits.npy', logits(x[cal])); np.save(out + '/cifar10-test-logits.npy', logits(x[test]))
    np.save(out + '/cifar10-test-labels.npy', y[test].astype('u1'))
    np.save(out + '/svhn-test-logits.npy', logits(svhn(data + '/svhn/test_32x32.mat')[rng.permutation(26032)[:2000]]))
    files = [f'{data}/tiny-imagenet-200/test/images/test_{i}.JPEG' for i in sorted(rng.permutation(10000)[:2000])]
    px = np.stack([np.asarray(Image.open(f).convert('RGB').resize((32, 32), Image.BILINEAR)).transpose(2, 0, 1) for f in files])
    np.save(out + '/tiny-imagenet-r-test-logits.npy', logits(px))
