"""Opens a detector bundle and judges logits: python3 read_bundle.py detector.wood [LOGIT LOGIT ...]"""
import hashlib, json, sys, zipfile
import numpy as np

bundle = zipfile.ZipFile(sys.argv[1])
about = json.loads(bundle.read("detector.json"))
for name, part in about["parts"].items():
    assert hashlib.sha256(bundle.read(name)).hexdigest() == part["sha256"], name + " was changed"

data = bundle.read("detector.safetensors")
end = 8 + int.from_bytes(data[:8], "little")
tensors = {name: np.frombuffer(data[end + t["data_offsets"][0]:end + t["data_offsets"][1]],
                               {"F32": "<f4", "F64": "<f8"}[t["dtype"]]).reshape(t["shape"])
           for name, t in json.loads(data[8:end]).items()}
classes, scorer, choice = about["classifier"]["classes"], about["scorer"], about["choice"]
print("classes", classes, "\nscorer", scorer["name"], "\nthresholds", about["thresholds"])

if len(sys.argv) > 2:
    assert len(sys.argv) - 2 == len(classes), f"{len(classes)} logits are needed, one a class, but there are {len(sys.argv) - 2}"
    np.seterr(invalid="ignore")  # what is no number is told of as OOD
    z = np.array(sys.argv[2:], dtype=float) / scorer["temperature"]
    f = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    label = int(f.argmax())
    rest = np.delete(f, label)
    others = rest.sum()  # 1 - max f, to all digits also where it is tiny
    entropy = -(rest * np.log(np.maximum(rest, np.finfo(float).tiny))).sum() - f[label] * np.log1p(-others)
    cost = {"binary": others, "dynamic": others * (2 - others) - (rest * rest).sum()}.get(scorer["cost"])
    wood = cost if cost is not None else (tensors["scorer.cost"].T @ f).min()
    known = {"wood": wood - entropy / float(scorer["lambda"]), "msp": others, "max-logit": -z.max(),
             "energy": -z.max() - np.log(np.exp(z - z.max()).sum()), "entropy": entropy}
    assert scorer["name"] in known, f"a scorer must be one of {', '.join(known)} to be computed here but is {scorer['name']}"
    score = known[scorer["name"]]
    alike = tensors["calibration.labels"][0] == label if choice["perClass"] else slice(None)
    scores = tensors["calibration.scores"][0][alike]
    threshold = float(about["thresholds"][label if choice["perClass"] else 0])
    print("label", classes[label], "score", score, "ood", bool(np.isnan(f[label]) or not score <= threshold),
          "p-value", (1 + (scores >= score).sum()) / (1 + len(scores)))
