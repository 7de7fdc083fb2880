package ai.wood.onnx;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorProto.DataLocation;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Weights that an ONNX file keeps in files next to it. Only files in its own folder, or below it, are read.
 *
 * @param file the ONNX file
 */
record ExternalData(Path file) {

    /** Returns the model with these weights in it. */
    ModelProto takenInto(ModelProto model) throws IOException {
        if (!isOutside(model)) {
            return model;
        }
        ModelProto.Builder whole = model.toBuilder();
        GraphProto.Builder graph = whole.getGraphBuilder();
        long total = model.getSerializedSize();
        for (int i = 0; i < graph.getInitializerCount(); i++) {
            TensorProto tensor = graph.getInitializer(i);
            if (isOutside(tensor)) {
                ByteString values = read(tensor, OnnxFile.MAX_BYTES - total);
                total += values.size();
                graph.setInitializer(
                        i,
                        tensor.toBuilder()
                                .clearDataLocation()
                                .clearExternalData()
                                .setRawData(values));
            }
        }
        ModelProto result = whole.build();
        if (isOutside(result)) {
            throw new IOException(file
                    + ": only weights of the main graph can be read from other files, but other values are in such files."
                    + " Save the model as one file.");
        }
        return result;
    }

    /** Whether a message, or one within it, keeps its values in another file. */
    static boolean isOutside(Message message) {
        if (message instanceof TensorProto tensor) {
            return tensor.getDataLocation() == DataLocation.EXTERNAL;
        }
        return message.getAllFields().values().stream()
                .flatMap(value -> value instanceof List<?> list ? list.stream() : List.of(value).stream())
                .anyMatch(value -> value instanceof Message part && isOutside(part));
    }

    private ByteString read(TensorProto tensor, long atMost) throws IOException {
        Map<String, String> where = tensor.getExternalDataList().stream()
                .collect(Collectors.toMap(
                        StringStringEntryProto::getKey, StringStringEntryProto::getValue, (first, second) -> second));
        Path data = inFolder(where.getOrDefault("location", ""));
        try (FileChannel channel = FileChannel.open(data)) {
            long offset = number(where.getOrDefault("offset", "0"));
            long length = number(where.getOrDefault("length", String.valueOf(channel.size() - offset)));
            if (offset < 0 || length < 0 || offset > channel.size() - length) {
                throw new IOException(file + ": the weights '" + tensor.getName() + "' should be " + length
                        + " bytes in " + data + " from byte " + offset + " on, but that file has " + channel.size());
            }
            if (length > atMost) {
                throw new IOException(file + ": an ONNX file with its weights may have at most " + OnnxFile.MAX_BYTES
                        + " bytes but has more");
            }
            return ByteString.copyFrom(
                    Channels.newInputStream(channel.position(offset)).readNBytes((int) length));
        }
    }

    private Path inFolder(String location) throws IOException {
        try {
            Path folder = file.toAbsolutePath().normalize().resolveSibling("");
            Path data = folder.resolve(location).normalize();
            if (data.startsWith(folder)
                    && Files.isRegularFile(data)
                    && data.toRealPath().startsWith(folder.toRealPath())) {
                return data;
            }
        } catch (InvalidPathException e) {
            throw new IOException(file + ": the weights should be in '" + location + "', which is not a path", e);
        }
        throw new IOException(
                file + ": weights must be in files of the same folder but '" + location + "' is not such a file");
    }

    private long number(String text) throws IOException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException(file + ": offset and length of weights must be numbers but one is '" + text + "'", e);
        }
    }
}
