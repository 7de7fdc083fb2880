package ai.wood.cli;

import ai.wood.Names;

/** What runs a network. */
public enum EngineChoice {
    TORCH,
    ONNX,
    /** Whichever is faster on this machine. */
    AUTO;

    @Override
    public String toString() {
        return Names.of(this);
    }
}
