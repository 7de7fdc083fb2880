package ai.wood.onnx;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import ai.wood.data.Shape;
import ai.wood.io.AtomicFile;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An ONNX file in memory, whole: weights that lie in files beside it are taken in, so that nothing is read from the disk
 * afterwards. Immutable.
 */
public final class OnnxFile {

    /** No file may be larger, weights beside it included. */
    static final long MAX_BYTES = 1L << 30;

    private final String name;
    private final ModelProto model;

    private OnnxFile(String name, ModelProto model) {
        this.name = name;
        this.model = model;
    }

    /** A file that was made in memory; the name is for messages. */
    public static OnnxFile of(String name, ModelProto model) {
        return new OnnxFile(name, model);
    }

    /**
     * Reads a file.
     *
     * @throws IOException where it is no ONNX file, is larger than 1 GiB, or wants weights from outside its folder
     */
    public static OnnxFile read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": an ONNX file is needed but there is no such file");
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException(
                    file + ": an ONNX file may have at most " + MAX_BYTES + " bytes but has " + Files.size(file));
        }
        ModelProto model = parse(file, Files.readAllBytes(file));
        if (model.getGraph().getNodeCount() == 0 || model.getOpsetImportCount() == 0) {
            throw new IOException(file + ": an ONNX file must hold a graph but this one holds none."
                    + " Maybe it is a file of another kind.");
        }
        return new OnnxFile(file.toString(), new ExternalData(file).takenInto(model));
    }

    private static ModelProto parse(Path file, byte[] bytes) throws IOException {
        CodedInputStream input = CodedInputStream.newInstance(bytes);
        input.enableAliasing(true); // weights are not copied
        try {
            return ModelProto.parseFrom(input);
        } catch (InvalidProtocolBufferException e) {
            throw new IOException(file + ": is no ONNX file, or only a part of one (" + e.getMessage() + ")", e);
        } catch (OutOfMemoryError e) { // small parts take many times their bytes in the file
            throw new IOException(file + ": what the file describes takes more memory than there is", e);
        }
    }

    /** What the file says about itself. */
    public Map<String, String> metadata() {
        Map<String, String> entries = new LinkedHashMap<>();
        model.getMetadataPropsList().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        return entries;
    }

    /**
     * How images go in and what comes out: as the metadata say, and where they do not as the graph tells. A softmax at the
     * end is passed over, so that there are logits; the input of a linear last layer is taken for the features; images are
     * shown as 0..1.
     *
     * @param open shape of the images where the graph leaves it open; null for unknown
     * @throws IOException where that is not enough
     */
    public OnnxOptions options(@Nullable Shape open) throws IOException {
        try {
            return OnnxOptions.of(metadata(), graph(), open);
        } catch (IllegalArgumentException e) {
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    /** The names of what it says. */
    public List<String> outputs() {
        return model.getGraph().getOutputList().stream()
                .map(ValueInfoProto::getName)
                .toList();
    }

    /** This file with the options among its metadata. */
    public OnnxFile with(OnnxOptions options) {
        return with(options.metadata());
    }

    /** This file with more metadata, or others under the same keys. */
    public OnnxFile with(Map<String, String> more) {
        Map<String, String> entries = metadata();
        entries.putAll(more);
        ModelProto.Builder told = model.toBuilder().clearMetadataProps();
        entries.forEach((key, value) -> told.addMetadataProps(
                StringStringEntryProto.newBuilder().setKey(key).setValue(value)));
        return new OnnxFile(name, told.build());
    }

    /** This file with the named values of its graph, and no others, as outputs. */
    OnnxFile withOutputs(Iterable<String> names) {
        ModelProto.Builder changed = model.toBuilder();
        changed.getGraphBuilder().clearOutput();
        Map<String, ValueInfoProto> known = new LinkedHashMap<>();
        model.getGraph().getOutputList().forEach(output -> known.put(output.getName(), output));
        for (String output : names) {
            changed.getGraphBuilder()
                    .addOutput(known.getOrDefault(
                            output, ValueInfoProto.newBuilder().setName(output).build()));
        }
        return new OnnxFile(name, changed.build());
    }

    OnnxGraph graph() {
        return new OnnxGraph(model.getGraph());
    }

    /** The file's bytes, outside the Java heap. */
    ByteBuffer bytes() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(model.getSerializedSize());
        CodedOutputStream output = CodedOutputStream.newInstance(bytes);
        try {
            model.writeTo(output);
            output.flush();
        } catch (IOException e) {
            throw new IllegalStateException("memory of the right size takes a message", e);
        }
        return bytes.flip();
    }

    /** Replaces or creates a file. */
    public void write(Path file) throws IOException {
        AtomicFile.replace(file, channel -> {
            OutputStream stream = Channels.newOutputStream(channel);
            model.writeTo(stream);
            stream.flush();
        });
    }

    /** Where it came from. */
    @Override
    public String toString() {
        return name;
    }
}
