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
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An ONNX file in memory, including weights from files next to it, so that nothing is read from the disk later. Immutable. */
public final class OnnxFile {

    /** The largest size of a file with its weights. */
    static final long MAX_BYTES = 1L << 30;

    private final String name;
    private final ModelProto model;

    private OnnxFile(String name, ModelProto model) {
        this.name = name;
        this.model = model;
    }

    /** Wraps a model that was made in memory; the name is for messages. */
    public static OnnxFile of(String name, ModelProto model) {
        return new OnnxFile(name, model);
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it is not an ONNX file, is larger than 1 GiB, or refers to weights outside its folder
     */
    public static OnnxFile read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": there is no such file");
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException(
                    file + ": an ONNX file may have at most " + MAX_BYTES + " bytes but has " + Files.size(file));
        }
        ModelProto model = parse(file.toString(), Files.readAllBytes(file));
        return new OnnxFile(file.toString(), new ExternalData(file).takenInto(model));
    }

    /**
     * Reads a stream to its end. The weights must be inside.
     *
     * @param name of the file, for messages
     */
    static OnnxFile read(InputStream in, String name) throws IOException {
        byte[] bytes = in.readNBytes((int) MAX_BYTES + 1);
        if (bytes.length > MAX_BYTES) {
            throw new IOException(name + ": an ONNX file may have at most " + MAX_BYTES + " bytes but has more");
        }
        ModelProto model = parse(name, bytes);
        if (ExternalData.isOutside(model)) {
            throw new IOException(name + ": all weights must be inside this file but some are in other files."
                    + " Import the original file again.");
        }
        return new OnnxFile(name, model);
    }

    private static ModelProto parse(String file, byte[] bytes) throws IOException {
        CodedInputStream input = CodedInputStream.newInstance(bytes);
        input.enableAliasing(true); // weights are not copied
        try {
            ModelProto model = ModelProto.parseFrom(input);
            if (model.getGraph().getNodeCount() == 0 || model.getOpsetImportCount() == 0) {
                throw new IOException(file + ": an ONNX file must contain a graph but this file has none."
                        + " Check that it is an ONNX file.");
            }
            return model;
        } catch (InvalidProtocolBufferException e) {
            throw new IOException(file + ": not an ONNX file, or only part of one (" + e.getMessage() + ")", e);
        } catch (OutOfMemoryError e) { // small parts take many times their bytes in the file
            throw new IOException(file + ": reading the file needs more memory than is available", e);
        }
    }

    /** Returns the metadata. */
    public Map<String, String> metadata() {
        Map<String, String> entries = new LinkedHashMap<>();
        model.getMetadataPropsList().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        return entries;
    }

    /**
     * Reads the options from the metadata and infers missing ones from the graph. The logits are the input of a softmax at the end.
     * The features are the input of a linear last layer. Images become values between 0 and 1.
     *
     * @param open shape of the images if the graph leaves it open; null for unknown
     * @throws IOException if an option is invalid or cannot be inferred
     */
    public OnnxOptions options(@Nullable Shape open) throws IOException {
        try {
            return OnnxOptions.of(metadata(), graph(), open);
        } catch (IllegalArgumentException e) {
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    /** Returns the names of the outputs. */
    public List<String> outputs() {
        return model.getGraph().getOutputList().stream()
                .map(ValueInfoProto::getName)
                .toList();
    }

    /** Returns this file with the options in its metadata. */
    public OnnxFile with(OnnxOptions options) {
        return with(options.metadata());
    }

    /** Returns this file with more metadata, which replace entries of the same keys. */
    public OnnxFile with(Map<String, String> more) {
        Map<String, String> entries = metadata();
        entries.putAll(more);
        ModelProto.Builder told = model.toBuilder().clearMetadataProps();
        entries.forEach((key, value) -> told.addMetadataProps(
                StringStringEntryProto.newBuilder().setKey(key).setValue(value)));
        return new OnnxFile(name, told.build());
    }

    /** Returns this file with exactly these values of its graph as outputs. */
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

    /** Returns the bytes of the file, outside the Java heap. */
    ByteBuffer bytes() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(model.getSerializedSize());
        CodedOutputStream output = CodedOutputStream.newInstance(bytes);
        try {
            model.writeTo(output);
            output.flush();
        } catch (IOException e) {
            throw new IllegalStateException("the buffer has the size of the message", e);
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

    /** Returns the name of the file. */
    @Override
    public String toString() {
        return name;
    }
}
