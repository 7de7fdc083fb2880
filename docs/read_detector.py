"""Opens a detector file and scores logits: python3 read_detector.py detector.wood [LOGIT LOGIT ...]"""
import hashlib, json, sys, zipfile
import numpy as np

file = zipfile.ZipFile(sys.argv[1])
about = json.loads(file.read("detector.json"))
assert about["format"] == 2, "format 2 is needed but this is format " + str(about["format"])
for name, part in about["parts"].items():
    assert hashlib.sha256(file.read(name)).hexdigest() == part["sha256"], name + " was changed"

data = file.read("detector.safetensors")
end = 8 + int.from_bytes(data[:8], "little")
tensors = {name: np.frombuffer(data[end + t["data_offsets"][0]:end + t["data_offsets"][1]],
                               {"F32": "<f4", "F64": "<f8"}[t["dtype"]]).reshape(t["shape"])
           for name, t in json.loads(data[8:end]).items()}
classes, kind, settings = about["classes"], about["scorer"]["kind"], about["scorer"]["settings"]
per_class, thresholds = about["thresholds"]["perClass"], about["thresholds"]["values"]
print("classes", classes, "\nscorer", kind, settings, "\nthresholds", thresholds)

if len(sys.argv) > 2:
    assert len(sys.argv) - 2 == len(classes), f"one logit per class is needed, {len(classes)}, but there are {len(sys.argv) - 2}"
    known = ["wood", "msp", "max-logit", "energy", "entropy"]
    assert kind in known, f"this script computes the scorers {', '.join(known)} but the detector has {kind}"
    np.seterr(all="ignore")  # logits may be NaN or infinite: then the sample is OOD
    logits = np.array(sys.argv[2:], dtype=float)
    label = int(logits.argmax())
    z = logits / settings["temperature"]
    f = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    rest = np.delete(f, label)
    others = rest.sum()  # 1 - max f at full relative precision
    entropy = -(rest * np.log(np.maximum(rest, np.finfo(float).tiny))).sum() - f[label] * np.log1p(-others)
    if kind == "wood":
        costs = {"binary": others, "dynamic": others * (2 - others) - (rest * rest).sum()}
        matrix = tensors.get("setting.cost")
        cost = costs[settings["cost"]] if matrix is None else (matrix.T @ f).min()
        score = cost - entropy / float(settings["lambda"])
    else:
        score = {"msp": others, "max-logit": -z.max(), "entropy": entropy,
                 "energy": -z.max() - np.log(np.exp(z - z.max()).sum())}[kind]
    score = score if np.all(logits < np.inf) else np.nan
    group = tensors["calibration.labels"][0] == label if per_class else slice(None)
    scores = tensors["calibration.scores"][0][group]
    threshold = float(thresholds[label if per_class else 0])
    p = 1 / (1 + tensors["calibration.scores"].size) if np.isnan(score) else (1 + (scores >= score).sum()) / (1 + len(scores))
    print("label", classes[label], "score", score, "ood", bool(not score <= threshold), "p-value", p)
