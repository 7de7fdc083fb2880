package ai.wood.server;

import ai.wood.server.Judge.Judgement;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;

/**
 * The Open Inference Protocol, version 2, which KServe, Triton and others use: tensors in, tensors out.
 *
 * <p>One input, {@code image}, of shape [N, channels, height, width], as JSON numbers or as raw little-endian bytes after the
 * JSON. UINT8 values are pixels from 0 to 255. FP32 values are normalised already; the metadata gives the formula.
 */
final class InferenceProtocol {

    private final Judge judge;
    private final int maxImages;

    InferenceProtocol(Judge judge, int maxImages) {
        this.judge = judge;
        this.maxImages = maxImages;
    }

    /** Names, types and meaning of the tensors. */
    ObjectNode metadata() {
        NamedDetector served = judge.served();
        ObjectNode json = HttpJson.object().put("name", served.name()).put("platform", "wood");
        json.putArray("versions");
        ArrayNode inputs = json.putArray("inputs");
        served.shape().ifPresent(shape -> {
            ObjectNode input = inputs.addObject().put("name", "image").put("datatype", "UINT8");
            input.putArray("shape")
                    .add(-1)
                    .add(shape.channels())
                    .add(shape.height())
                    .add(shape.width());
            ObjectNode meaning = input.putObject("parameters")
                    .put("UINT8", "pixels from 0 to 255; the server normalises them")
                    .put("FP32", "(pixel / 255 - mean) / deviation; the values reach the network unchanged");
            served.normalise().mean().forEach(meaning.putArray("mean")::add);
            served.normalise().deviation().forEach(meaning.putArray("deviation")::add);
        });
        ArrayNode outputs = json.putArray("outputs");
        for (Output output : Output.values()) {
            ArrayNode shape = outputs.addObject()
                    .put("name", output.id)
                    .put("datatype", output.type)
                    .putArray("shape")
                    .add(-1);
            if (output == Output.PROBABILITIES) {
                shape.add(judge.served().classes().size());
            }
        }
        return json;
    }

    /** The tensors of a verdict. */
    private enum Output {
        PROBABILITIES("probabilities", "FP64"),
        LABEL("label", "BYTES"),
        SCORE("score", "FP64"),
        P_VALUE("p_value", "FP64"),
        OOD("ood", "BOOL");

        private final String id;
        private final String type;

        Output(String id, String type) {
            this.id = id;
            this.type = type;
        }

        static void check(String id) {
            List<String> known =
                    Arrays.stream(values()).map(output -> output.id).toList();
            if (!known.contains(id)) {
                throw Problem.badRequest("there is no such output; there are " + known);
            }
        }
    }

    /** Reads a request, and checks that there are the outputs it asks for. */
    InferRequest read(byte[] body, int jsonLength) {
        InferRequest request = InferRequest.read(body, jsonLength, judge.shape(), maxImages);
        request.outputs().forEach(Output::check);
        return request;
    }

    /** The answer to a request. */
    ObjectNode answer(InferRequest request, List<Judgement> judgements) {
        ObjectNode json = HttpJson.object().put("model_name", judge.served().name());
        if (request.id() != null) {
            json.put("id", request.id());
        }
        ArrayNode outputs = json.putArray("outputs");
        for (Output output : Output.values()) {
            if (request.outputs().isEmpty() || request.outputs().contains(output.id)) {
                tensor(outputs.addObject(), output, judgements);
            }
        }
        return json;
    }

    private void tensor(ObjectNode json, Output output, List<Judgement> judgements) {
        json.put("name", output.id).put("datatype", output.type);
        ArrayNode shape = json.putArray("shape").add(judgements.size());
        ArrayNode data = json.putArray("data");
        if (output == Output.PROBABILITIES) {
            shape.add(judge.served().classes().size());
        }
        for (Judgement judgement : judgements) {
            var verdict = judgement.verdict();
            switch (output) {
                case PROBABILITIES -> judgement.probabilities().forEach(value -> data.add(HttpJson.finite(value)));
                case LABEL -> data.add(judge.label(verdict));
                case SCORE -> data.add(HttpJson.finite(verdict.score()));
                case P_VALUE -> data.add(verdict.pValue());
                case OOD -> data.add(verdict.ood());
            }
        }
    }
}
