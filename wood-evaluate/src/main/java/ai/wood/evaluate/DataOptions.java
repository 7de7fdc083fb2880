package ai.wood.evaluate;

import ai.wood.Seed;
import ai.wood.data.Catalogue;
import ai.wood.data.Catalogue.Weighted;
import ai.wood.data.Dataset;
import ai.wood.data.Mixture;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.Subset;
import ai.wood.data.transform.Cutout;
import ai.wood.data.transform.Fit;
import ai.wood.data.transform.Flip;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.PadCrop;
import ai.wood.data.transform.Transform;
import ai.wood.io.AtomicFile;
import ai.wood.io.JsonFile;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.TrainData;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which samples a network learns from and which are held out: {@code data.json} of a run folder. The same options give
 * the same samples.
 *
 * @param ind name of the InD set in the catalogue
 * @param ood names of the OOD sets that training sees; several are mixed in equal shares, the parts of {@code mix:} by weight
 * @param limit how many random samples of each set are used, those held out among them; 0 for all
 * @param heldOut share of the training split that is held out for validation
 * @param seed of the choice
 * @param earlier names of the sets that the training it goes on from saw: OOD, and InD that it learnt in place of this one
 * @param overlaps whether the training it goes on from may have learnt InD samples that are held out here
 * @param adopted whether the network, or one that it goes on from, was trained elsewhere, on samples nobody told us about
 * @param shape that images are fitted to, such as {@code 3x64x64}; empty for that of the InD set
 */
public record DataOptions(
        String ind,
        List<String> ood,
        int limit,
        double heldOut,
        long seed,
        List<String> earlier,
        boolean overlaps,
        boolean adopted,
        String shape) {

    /** What the manifest of a run is, for messages. */
    static final String TRAINING = "a description of a training";

    private static final String DIRECTORY = "directory";

    private static final Shape USUAL = new Shape(3, 64, 64);

    public DataOptions {
        ood = List.copyOf(ood);
        earlier = List.copyOf(earlier);
        if (limit < 0) {
            throw new IllegalArgumentException("the number of samples to use must not be negative but is " + limit);
        }
        if (!(heldOut > 0 && heldOut < 1)) {
            throw new IllegalArgumentException(
                    "the share held out for validation must lie strictly between 0 and 1 but is " + heldOut);
        }
        if (!shape.isEmpty()) {
            shape = new Fit(Shape.parse(shape)).target().toString();
        }
    }

    /** All samples of the training splits, of which a tenth is held out. */
    public static DataOptions of(String ind, List<String> ood) {
        return new DataOptions(ind, ood, 0, 0.1, 0, List.of(), false, false, "");
    }

    public DataOptions withOod(List<String> ood) {
        return new DataOptions(ind, ood, limit, heldOut, seed, earlier, overlaps, adopted, shape);
    }

    public DataOptions withLimit(int limit) {
        return new DataOptions(ind, ood, limit, heldOut, seed, earlier, overlaps, adopted, shape);
    }

    public DataOptions withHeldOut(double heldOut) {
        return new DataOptions(ind, ood, limit, heldOut, seed, earlier, overlaps, adopted, shape);
    }

    public DataOptions withSeed(long seed) {
        return new DataOptions(ind, ood, limit, heldOut, seed, earlier, overlaps, adopted, shape);
    }

    /** For a training that goes on from a network trained with other options. */
    public DataOptions after(DataOptions other) {
        List<String> before = new ArrayList<>(other.seen());
        if (!kind(ind).equals(kind(other.ind))) {
            before.add(other.ind);
        }
        boolean any = adopted || other.adopted;
        String used = shape.isEmpty() && kind(ind).equals(kind(other.ind)) ? other.shape : shape;
        return new DataOptions(ind, ood, limit, heldOut, seed, before, mayHaveLearnt(other), any, used);
    }

    /**
     * For a training that goes on from a run, which may have learnt what these hold out too where its samples are no longer
     * those that it tells of: they were parted when there were others.
     */
    public DataOptions after(Path run, Catalogue catalogue) throws IOException {
        DataOptions other = read(run);
        DataOptions next = after(other);
        boolean known = !kind(ind).equals(kind(other.ind)) || other.isHere(run, catalogue);
        return known
                ? next
                : new DataOptions(ind, ood, limit, heldOut, seed, next.earlier, true, next.adopted, next.shape);
    }

    private boolean isHere(Path run, Catalogue catalogue) throws IOException {
        Dataset here;
        try {
            here = ind(catalogue, Split.TRAIN);
        } catch (IOException e) {
            return false; // whatever it learnt is gone
        }
        return isNoted(here, run, "ind");
    }

    /** Whether a network trained with other options may have learnt what these hold out. */
    private boolean mayHaveLearnt(DataOptions other) {
        boolean same = Catalogue.named(ind, here()).equals(Catalogue.named(other.ind, here()))
                && heldOut == other.heldOut
                && seed == other.seed;
        return other.adopted || (kind(ind).equals(kind(other.ind)) ? other.overlaps || !same : other.sees(ind));
    }

    public DataOptions withShape(String shape) {
        return new DataOptions(ind, ood, limit, heldOut, seed, earlier, overlaps, adopted, shape);
    }

    /** Pictures that are not small squares, fitted to one, where nothing else is said: networks here are made for those. */
    public DataOptions withUsualShape(Catalogue catalogue) throws IOException {
        boolean suits = !shape.isEmpty()
                || catalogue
                        .ofPictures(ind)
                        .filter(own -> own.height() != own.width() || own.height() > USUAL.height())
                        .isEmpty();
        return suits ? this : withShape(USUAL.toString());
    }

    public DataOptions withAdopted(boolean adopted) {
        return new DataOptions(ind, ood, limit, heldOut, seed, earlier, overlaps, adopted, shape);
    }

    /**
     * What training and validation see. Images are normalised as the paper's authors do.
     *
     * @param augmented whether training images are shifted, mirrored (in colour only: digits and letters are not) and partly
     *     hidden
     */
    public TrainData open(Catalogue catalogue, boolean augmented) throws IOException {
        Dataset learnt = ind(catalogue, Split.TRAIN);
        Shape shape = learnt.shape();
        return new TrainData(
                learnt,
                ood(catalogue, shape, Split.TRAIN),
                ind(catalogue, Split.VALIDATION),
                ood(catalogue, shape, Split.VALIDATION),
                augmented ? augmentation(shape) : Transform.of(),
                Normalise.authors(shape.channels()));
    }

    private static Transform augmentation(Shape shape) {
        Transform shift = new PadCrop(shape.height() / 8);
        Transform hide = new Cutout(shape.height() * 3 / 8);
        return shape.channels() == 1 ? Transform.of(shift, hide) : Transform.of(shift, new Flip(), hide);
    }

    /** The InD samples of a split, {@link Split#TRAIN} or {@link Split#VALIDATION}. */
    public Dataset ind(Catalogue catalogue, Split split) throws IOException {
        return part(catalogue, ind, fitted(), split);
    }

    /** What images are fitted to; null for the shape of the InD set. */
    public @Nullable Shape fitted() {
        return shape.isEmpty() ? null : Shape.parse(shape);
    }

    /** The OOD samples of a split, mixed; null where training sees none. */
    public @Nullable Dataset ood(Catalogue catalogue, Shape shape, Split split) throws IOException {
        List<Mixture.Component> parts = new ArrayList<>();
        for (String name : ood) {
            List<Weighted> mixed = Catalogue.parts(name);
            double sum = mixed.stream().mapToDouble(Weighted::weight).sum();
            for (Weighted one : mixed) {
                parts.add(new Mixture.Component(part(catalogue, one.name(), shape, split), one.weight() / sum));
            }
        }
        return parts.isEmpty() ? null : parts.size() == 1 ? parts.get(0).dataset() : new Mixture(parts, new Seed(seed));
    }

    private Dataset part(Catalogue catalogue, String name, @Nullable Shape shape, Split split) throws IOException {
        return catalogue.open(name, Split.TRAIN, shape, whole -> part(whole, split));
    }

    /** What is held out stays so with any limit: another training of the same seed has not learnt it. */
    private Dataset part(Dataset whole, Split split) {
        Map<Split, Double> shares = Map.of(Split.TRAIN, 1 - heldOut, Split.VALIDATION, heldOut);
        Dataset part = Objects.requireNonNull(
                Subset.stratified(whole, shares, new Seed(seed)).get(split));
        int held = (int) Math.max(1, Math.round(limit * heldOut));
        int size = split == Split.VALIDATION ? held : Math.max(1, limit - held);
        return limit == 0 || limit >= whole.size() ? part : limited(part, size);
    }

    /**
     * The OOD sets that hold the very samples to learn, by their name or by their content: training would push the
     * network both ways.
     */
    public static List<String> repeated(TrainData data) {
        Dataset ood = data.ood();
        List<Dataset> sets = ood instanceof Mixture mixture
                ? mixture.parts().stream().map(Mixture.Component::dataset).toList()
                : ood == null ? List.of() : List.of(ood);
        return sets.stream()
                .filter(set -> isSame(data.ind(), set))
                .map(Dataset::name)
                .toList();
    }

    /** Whether two sets hold the same samples, by their names or by their content. */
    static boolean isSame(Dataset ind, Dataset ood) {
        return kind(ind.name()).equals(kind(ood.name()))
                || (ind.size() == ood.size() && ind.hash().equals(ood.hash()));
    }

    /**
     * So many random samples of a set, every class in its proportion, so that thresholds chosen on them keep their promise;
     * all of them where there are not more, or for 0.
     */
    Dataset limited(Dataset whole, int size) {
        return size == 0 || size >= whole.size() ? whole : Subset.proportional(whole, size, new Seed(seed));
    }

    /** The sets that the network has seen, in this training as OOD or in an earlier one. */
    public List<String> seen() {
        return Stream.concat(ood.stream(), earlier.stream()).distinct().toList();
    }

    /** Whether training saw samples of that kind. A bundled set is of the kind that it is a part of. */
    public boolean sees(String name) {
        Set<String> seen = seen().stream().flatMap(DataOptions::kinds).collect(Collectors.toSet());
        return kinds(name).anyMatch(seen::contains);
    }

    /** A set that training saw, of the same source as one that it did not see. */
    Optional<String> kin(String unseen) {
        return seen().stream()
                .flatMap(name -> Catalogue.parts(name).stream())
                .map(Weighted::name)
                .filter(name -> Catalogue.ofOneSource(name, unseen) && !sees(unseen))
                .findFirst();
    }

    private static Stream<String> kinds(String name) {
        return Catalogue.parts(name).stream().map(part -> kind(part.name()));
    }

    /** The same for names of the same samples: files are known by where they are, seen from here. */
    private static String kind(String name) {
        int colon = name.indexOf(':');
        if (colon < 0) {
            return name.endsWith("-small") ? name.substring(0, name.length() - "-small".length()) : name;
        }
        String made = name.substring(0, colon + 1);
        String rest = name.substring(colon + 1);
        return made + (Catalogue.FILES.contains(made) ? place(rest) : kind(rest));
    }

    private static Path place(String path) {
        try {
            return AtomicFile.real(Path.of(path));
        } catch (IOException e) {
            return Path.of(path); // which cannot be looked at
        }
    }

    /** Replaces {@code data.json} of a run folder, which also tells where names of files begin, if there are any. */
    public void write(Path run) throws IOException {
        ObjectNode json = JsonFile.tree(this);
        if (Stream.concat(Stream.of(ind), seen().stream()).anyMatch(DataOptions::namesFiles)) {
            json.put(DIRECTORY, here().toString());
        }
        JsonFile.write(new RunFolder(run).data(), json);
    }

    private static boolean namesFiles(String name) {
        return Catalogue.FILES.stream().anyMatch(name::contains);
    }

    private static Path here() {
        return Path.of("").toAbsolutePath();
    }

    /** The same for somebody in another working directory. */
    private DataOptions from(Path directory) {
        return directory.equals(here())
                ? this
                : new DataOptions(
                        Catalogue.named(ind, directory),
                        named(ood, directory),
                        limit,
                        heldOut,
                        seed,
                        named(earlier, directory),
                        overlaps,
                        adopted,
                        shape);
    }

    private static List<String> named(List<String> names, Path directory) {
        return names.stream().map(name -> Catalogue.named(name, directory)).toList();
    }

    /**
     * Reads {@code data.json} of a run folder. Files are those where it was written, or else, where all of it was moved,
     * those of the same name here.
     *
     * @throws IOException where there is none, or it is something else
     */
    public static DataOptions read(Path run) throws IOException {
        Path file = new RunFolder(run).data();
        String what = "a description of a run's data";
        if (!Files.exists(file)) {
            throw new IOException(file + ": " + what + " is needed but there is no such file."
                    + " Maybe the folder is no run: `wood train` and `wood adopt` make one.");
        }
        ObjectNode json = JsonFile.read(file, ObjectNode.class, what);
        if (!json.has("earlier")) {
            json.putArray("earlier"); // a run from before this was noted
        }
        if (!json.has("overlaps")) {
            json.put("overlaps", false); // this too
        }
        if (!json.has("shape")) {
            json.put("shape", learntShape(run, json.path("ind").asText())); // and this
        }
        JsonNode directory = json.remove(DIRECTORY);
        DataOptions options = JsonFile.parse(json, DataOptions.class, file + ": is not " + what);
        try {
            return directory == null ? options : options.from(Path.of(directory.asText()));
        } catch (InvalidPathException e) {
            throw new IOException(file + ": is not " + what + ": " + e.getMessage(), e);
        }
    }

    /** That of a network for pictures, of the folder's first one; other sets have theirs. */
    private static String learntShape(Path run, String ind) throws IOException {
        boolean told = ind.startsWith("folder:") && Files.exists(run.resolve(NetworkDescription.FILE));
        return told ? NetworkDescription.read(run).shape().toString() : "";
    }

    /** Returns the manifest of a run; missing if there is none. */
    static JsonNode training(Path run) throws IOException {
        Path file = new RunFolder(run).manifest();
        JsonNode manifest =
                Files.exists(file) ? JsonFile.read(file, JsonNode.class, TRAINING) : MissingNode.getInstance();
        return manifest.has("ind") ? MissingNode.getInstance() : manifest; // only options: the manifest was not copied
    }

    /**
     * Refuses samples that are not those the run's manifest names.
     *
     * @param role their name there, such as {@code indValidation}
     */
    static Dataset check(Dataset dataset, Path run, String role) throws IOException {
        if (!isNoted(dataset, run, role)) {
            throw new IOException(new RunFolder(run).manifest() + ": the network was trained with other samples of "
                    + dataset.name() + " than are here now (" + role
                    + "). Maybe the files of the dataset have changed, or an earlier version made the run, which held"
                    + " out others.");
        }
        return dataset;
    }

    /** Whether samples are those of the manifest, or there is none. */
    private static boolean isNoted(Dataset dataset, Path run, String role) throws IOException {
        JsonNode training = training(run);
        return training.isMissingNode()
                || training.path("data").path(role).path("sha256").asText("").equals(dataset.hash());
    }
}
