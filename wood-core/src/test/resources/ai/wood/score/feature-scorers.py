"""Scores of six samples by every scorer on features, computed with NumPy straight from the formulas.

    python3 feature-scorers.py > feature-scorers.csv

Inputs are sines, so that the test makes the same ones. One line a scorer: its name and the six scores.
"""
import numpy as np

CLASSES, WIDTH = 3, 8


def features(count, phase, shift):
    r, i = np.arange(count)[:, None], np.arange(WIDTH)[None, :]
    return np.maximum(0, np.sin(1.7 * (r + 1) * (i + 1) + phase + i * i) + shift * (r % CLASSES == i % CLASSES))


def layer(h, phase):
    r, j = np.arange(len(h))[:, None], np.arange(4)[None, :]
    return h[:, :4] * h[:, 1:5] + np.sin(r + j + phase)


k, i = np.arange(CLASSES)[:, None], np.arange(WIDTH)[None, :]
W, b = np.cos(k + 2 * i) + (k == i % CLASSES), 0.1 * np.arange(CLASSES)
FIT, VALIDATION, OOD = features(60, 0, 1.5), features(20, 5, 1.5), features(20, 9, 0.3)
QUERIES = np.concatenate([features(3, 3, 1.5), features(3, 7, 0.3)])
labels = np.arange(60) % CLASSES


def logits(h):
    return h @ W.T + b


def log_sum_exp(z):
    return np.log(np.exp(z).sum(1))


def mahalanobis(fit, labels, x):
    means = np.array([fit[labels == c].mean(0) for c in range(labels.max() + 1)])
    centred = fit - means[labels]
    inverse = np.linalg.inv(centred.T @ centred / len(fit))
    return np.min([np.einsum("ni,ij,nj->n", x - m, inverse, x - m) for m in means], axis=0)


def unit(h):
    return h / np.linalg.norm(h, axis=1, keepdims=True)


def ensemble(shape):
    def distances(h, phase):
        return np.stack([mahalanobis(shape(layer(FIT, 0)), labels, shape(layer(h, phase))),
                         mahalanobis(shape(FIT), labels, shape(h))], axis=1)

    x = np.concatenate([distances(VALIDATION, 5), distances(OOD, 9)])
    mean, deviation = x.mean(0), x.std(0)
    x = np.concatenate([(x - mean) / deviation, np.ones((len(x), 1))], axis=1)
    y = np.repeat([0.0, 1.0], 20)
    ridge = np.diag([1.0, 1.0, 0.0])
    w = np.zeros(3)
    for _ in range(200000):  # plain gradient descent
        w -= 0.02 * (x.T @ (1 / (1 + np.exp(-x @ w)) - y) + ridge @ w)
    return ((distances(QUERIES, 3) - mean) / deviation) @ w[:2] + w[2]


def knn(k):
    return np.sort(np.linalg.norm(unit(QUERIES)[:, None] - unit(FIT)[None], axis=2), axis=1)[:, k - 1]


def vim(principal):
    u = -np.linalg.pinv(W) @ b
    shifted = FIT - u
    values, vectors = np.linalg.eigh(shifted.T @ shifted / len(FIT))
    residual = vectors[:, np.argsort(-values)[principal:]]
    alpha = logits(FIT).max(1).mean() / np.linalg.norm(shifted @ residual, axis=1).mean()
    return alpha * np.linalg.norm((QUERIES - u) @ residual, axis=1) - log_sum_exp(logits(QUERIES))


def react(p):
    return -log_sum_exp(logits(np.minimum(QUERIES, np.percentile(FIT, p))))


def grown(p, prune):
    out = []
    for h in QUERIES:
        count = WIDTH - int(np.round(WIDTH * p / 100))
        top = np.argsort(-h, kind="stable")[:max(1, count)]
        pruned = np.zeros(WIDTH)
        pruned[top] = h[top]
        out.append((pruned if prune else h) * np.exp(h.sum() / pruned.sum()))
    return -log_sum_exp(logits(np.array(out)))


def dice(p):
    contribution = FIT.mean(0)[None, :] * W
    sparse = W * (contribution > np.percentile(contribution, p))
    return -log_sum_exp(QUERIES @ sparse.T + b)


def she():
    right = logits(FIT).argmax(1) == labels
    patterns = np.array([FIT[right & (labels == c)].mean(0) for c in range(CLASSES)])
    return -(QUERIES * patterns[logits(QUERIES).argmax(1)]).sum(1)


def nnguide(k):
    guided = unit(FIT) * log_sum_exp(logits(FIT))[:, None]
    return -np.sort(unit(QUERIES) @ guided.T, axis=1)[:, -k:].mean(1) * log_sum_exp(logits(QUERIES))


def trust(k):
    d = np.stack([np.sort(np.linalg.norm(QUERIES[:, None] - FIT[labels == c][None], axis=2), axis=1)[:, k - 1]
                  for c in range(CLASSES)])
    predicted = logits(QUERIES).argmax(1)
    own = d[predicted, np.arange(6)]
    d[predicted, np.arange(6)] = np.inf
    return own / d.min(0)


def softmax(z):
    return np.exp(z) / np.exp(z).sum(1, keepdims=True)


def gradient(q, norm):
    outer = (softmax(logits(QUERIES)) - q)[:, :, None] * QUERIES[:, None, :]
    return np.linalg.norm(outer.reshape(6, -1), norm, axis=1)


def line(name, scores):
    print(name + "," + ",".join(repr(float(s)) for s in scores))


line("mahalanobis", mahalanobis(FIT, labels, QUERIES))
line("mahalanobis-unit", mahalanobis(unit(FIT), labels, unit(QUERIES)))
line("relative-mahalanobis", mahalanobis(FIT, labels, QUERIES) - mahalanobis(FIT, 0 * labels, QUERIES))
line("mahalanobis-ensemble", ensemble(lambda h: h))
line("mahalanobis-ensemble-unit", ensemble(unit))
line("knn", knn(50))
line("vim", vim(WIDTH // 2))
line("react", react(90))
line("ash", grown(90, True))
line("scale", grown(85, False))
line("dice", dice(90))
line("she", she())
line("nnguide", nnguide(10))
line("trust", trust(2))
line("gradnorm", -gradient(1 / CLASSES, 1))
line("nll-gradient", gradient(np.eye(CLASSES)[logits(QUERIES).argmax(1)], 2))
