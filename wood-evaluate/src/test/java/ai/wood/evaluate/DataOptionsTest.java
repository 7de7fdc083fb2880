package ai.wood.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Calibration;
import ai.wood.Seed;
import ai.wood.Threshold;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.Mixture;
import ai.wood.data.Outliers;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.transform.Normalise;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataOptionsTest {

    private static final int SIZE = 4000;

    @Test
    void aMixtureIsLimitedAndHeldOutPartByPart() throws IOException {
        DataOptions options = DataOptions.of(
                        "mnist-small", List.of("blobs", "mix:fashion-mnist-small*3,gaussian-noise"))
                .withLimit(50);
        Catalogue catalogue = Catalogue.at(null);
        Shape shape = new Shape(1, 28, 28);
        Mixture learnt = (Mixture) Objects.requireNonNull(options.ood(catalogue, shape, Split.TRAIN));
        Mixture heldOut = (Mixture) Objects.requireNonNull(options.ood(catalogue, shape, Split.VALIDATION));
        assertThat(learnt.parts()).extracting(Mixture.Component::weight).containsExactly(1.0, 0.75, 0.25);
        assertThat(learnt.size()).isEqualTo(3 * 45);
        assertThat(samples(learnt)).doesNotContainAnyElementsOf(samples(heldOut));
    }

    private static Set<ByteBuffer> samples(Mixture mixture) {
        return mixture.parts().stream()
                .flatMap(part -> samples(part.dataset()).stream())
                .collect(Collectors.toSet());
    }

    private static Set<ByteBuffer> samples(Dataset dataset) {
        return dataset.images().stream()
                .map(image -> ByteBuffer.wrap(image.toArray()))
                .collect(Collectors.toSet());
    }

    @Test
    void whatIsHeldOutIsLearntUnderNoOtherLimit() throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        DataOptions all = DataOptions.of("mnist-small", List.of());
        for (int limit : new int[] {1, 2, 55, 5000, 20_000}) {
            DataOptions some = all.withLimit(limit);
            Dataset learnt = some.ind(catalogue, Split.TRAIN);
            Dataset heldOut = some.ind(catalogue, Split.VALIDATION);
            assertThat(samples(all.ind(catalogue, Split.TRAIN))).containsAll(samples(learnt));
            assertThat(samples(all.ind(catalogue, Split.VALIDATION))).containsAll(samples(heldOut));
            assertThat(learnt.size() + heldOut.size()).isEqualTo(Math.max(2, Math.min(limit, 10_000)));
            assertThat(heldOut.size()).isEqualTo(Math.max(1, Math.round(Math.min(limit, 10_000) * 0.1)));
            assertThat(some.after(all).overlaps()).isFalse();
        }
    }

    @Test
    void outliersThatAreMadeOfInDSamplesAreHeldOutWithThem() throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        Shape shape = new Shape(1, 28, 28);
        DataOptions options = DataOptions.of("mnist-small", List.of("blurred:patch-shuffled:mnist-small"));
        for (Split split : List.of(Split.TRAIN, Split.VALIDATION)) {
            Dataset shuffled = Outliers.PATCH_SHUFFLED.of(options.ind(catalogue, split), new Seed(0));
            assertThat(samples(Objects.requireNonNull(options.ood(catalogue, shape, split))))
                    .isEqualTo(samples(Outliers.BLURRED.of(shuffled, new Seed(0))));
        }
    }

    @Test
    void aSetIsSeenUnderAnyOfItsNames(@TempDir Path folder) {
        Path file = folder.resolve("a.npy");
        String around = folder.resolve(".").resolve("x").resolve("..") + "/a.npy";
        DataOptions options = DataOptions.of("mnist", List.of("mix:svhn*2,npy:" + file, "jigsaw:mnist-small"));
        assertThat(List.of("svhn", "mix:textures,svhn", "npy:" + file, "npy:" + around, "jigsaw:mnist"))
                .allMatch(options::sees);
        assertThat(List.of("textures", "mix:textures,usps", "npy:" + file + "-small", "folder:" + file, "jigsaw:svhn"))
                .noneMatch(options::sees);
    }

    @Test
    void aSetThatWasNotSeenMayBeOfTheSourceOfOneThatWas() {
        DataOptions options = DataOptions.of("cifar10", List.of("mix:svhn*2,tiny-imagenet-r"));
        assertThat(options.kin("tiny-imagenet-c")).contains("tiny-imagenet-r");
        assertThat(List.of("tiny-imagenet-r", "svhn", "mnist", "rotated:svhn", "folder:x"))
                .allMatch(name -> options.kin(name).isEmpty());
    }

    @Test
    void filesAreFoundAndKnownFromAnotherWorkingDirectory(@TempDir Path folder) throws IOException {
        Path there = Files.createDirectories(folder.resolve("there"));
        Files.createDirectories(there.resolve("pictures"));
        Files.createFile(there.resolve("a.npy"));
        Files.createFile(there.resolve("b"));
        List<String> ood = List.of("mix:npy:a.npy*3,blobs", "rotated:idx:b", "folder:/c", "folder:gone");
        DataOptions.of("folder:pictures", ood).write(folder);
        DataOptions here = DataOptions.read(folder);
        assertThat(here.ind()).isEqualTo("folder:pictures");
        assertThat(here.ood()).isEqualTo(ood);

        Path file = folder.resolve("data.json");
        String json = Files.readString(file);
        String named = "\"directory\" : \"" + Path.of("").toAbsolutePath() + "\"";
        assertThat(json).contains(named);
        Files.writeString(file, json.replace(named, "\"directory\" : \"" + there + "\""));
        DataOptions noted = DataOptions.read(folder);
        assertThat(noted.ind()).isEqualTo("folder:" + there.resolve("pictures"));
        assertThat(noted.ood())
                .containsExactly(
                        "mix:npy:" + there.resolve("a.npy") + "*3,blobs",
                        "rotated:idx:" + there.resolve("b"),
                        "folder:/c",
                        "folder:gone");
        assertThat(noted.sees("npy:" + there.resolve("../there/a.npy"))).isTrue();
        assertThat(noted.sees("npy:a.npy")).isFalse();

        DataOptions.of("mnist", List.of("rotated:mnist")).write(folder);
        assertThat(Files.readString(file)).as("no files, no folder").doesNotContain("directory");

        Files.writeString(file, json.replace(named, "\"directory\" : \"\\u0000\""));
        assertThatIOException().isThrownBy(() -> DataOptions.read(folder)).withMessageContaining("data.json");
    }

    @Test
    void aTrainingThatGoesOnKnowsWhatWasSeenAndMayHaveBeenLearntBefore() {
        DataOptions first = DataOptions.of("mnist", List.of("svhn")).withSeed(1);
        DataOptions same = DataOptions.of("mnist", List.of("usps")).withSeed(1).after(first);
        DataOptions other = DataOptions.of("mnist-small", List.of()).withSeed(1).after(same);
        assertThat(same.seen()).containsExactly("usps", "svhn");
        assertThat(same.overlaps()).isFalse();
        assertThat(other.seen()).containsExactly("usps", "svhn");
        assertThat(other.overlaps()).isTrue();
        assertThat(other.withSeed(1).after(other).overlaps()).isTrue();
        assertThat(DataOptions.of("cifar10", List.of()).after(first).overlaps()).isFalse();
        assertThat(DataOptions.of("cifar10", List.of()).after(other).overlaps()).isFalse();
    }

    @Test
    void aTrainingThatGoesOnKnowsThatTheSamplesAreOthersNow(@TempDir Path folder) throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        Path pictures = folder.resolve("pictures");
        for (int i = 0; i < 40; i++) {
            picture(pictures, i);
        }
        DataOptions first = DataOptions.of("folder:" + pictures, List.of());
        first.write(folder);
        String hash = first.ind(catalogue, Split.TRAIN).hash();
        Files.writeString(folder.resolve("options.json"), "{\"data\": {\"ind\": {\"sha256\": \"" + hash + "\"}}}");
        assertThat(first.after(folder, catalogue).overlaps()).isFalse();
        assertThat(first.withLimit(20).after(folder, catalogue).overlaps()).isFalse();
        picture(pictures, 40);
        assertThat(first.after(folder, catalogue).overlaps()).isTrue();
        assertThat(DataOptions.of("mnist-small", List.of())
                        .after(folder, catalogue)
                        .overlaps())
                .isFalse();
    }

    @Test
    void photographsAreFittedToASquareAndSmallSquaresStay(@TempDir Path folder) throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        for (int i = 0; i < 20; i++) {
            picture(folder.resolve("small"), i);
            Path photos = Files.createDirectories(folder.resolve(i % 2 == 0 ? "photos/even" : "photos/odd"));
            Shape shape = i % 3 == 0 ? new Shape(1, 30, 40) : new Shape(3, 50, 20);
            Files.write(photos.resolve(i + ".png"), ImageFile.png(Image.of(shape, new byte[shape.length()])));
        }
        DataOptions small =
                DataOptions.of("folder:" + folder.resolve("small"), List.of()).withUsualShape(catalogue);
        assertThat(small.ind(catalogue, Split.TRAIN).shape()).isEqualTo(new Shape(3, 2, 2));
        DataOptions photos = DataOptions.of("folder:" + folder.resolve("photos"), List.of());
        assertThat(photos.ind(catalogue, Split.TRAIN).shape()).isEqualTo(new Shape(3, 30, 40));
        Path before = Files.createDirectories(folder.resolve("before"));
        photos.write(before);
        Path noted = before.resolve("data.json");
        String json = Files.readString(noted).replaceFirst(",\\s*\"shape\" : \"\"", "");
        assertThat(json).doesNotContain("shape");
        Files.writeString(noted, json); // as runs were told of when nobody noted the shape
        NetworkDescription.of(
                        "small-cnn", NetworkOptions.of(3, 2), photos.ind(catalogue, Split.TRAIN), Normalise.authors(3))
                .write(before);
        DataOptions next = photos.after(before, catalogue).withUsualShape(catalogue);
        assertThat(next.shape()).as("what the network is used to").isEqualTo("3x30x40");
        assertThat(next.overlaps()).isFalse();
        DataOptions usual = photos.withUsualShape(catalogue);
        usual.write(folder);
        DataOptions read = DataOptions.read(folder);
        assertThat(read).isEqualTo(usual);
        Shape shape = read.ind(catalogue, Split.TRAIN).shape();
        assertThat(shape).isEqualTo(new Shape(3, 64, 64));
        Dataset turned = read.withOod(List.of("rotated:folder:" + folder.resolve("photos")))
                .ood(catalogue, shape, Split.TRAIN);
        assertThat(Objects.requireNonNull(turned).get(0).image().shape()).isEqualTo(shape);
        DataOptions told = photos.withShape("1x8x8").withUsualShape(catalogue);
        assertThat(told.ind(catalogue, Split.TRAIN).shape()).isEqualTo(new Shape(1, 8, 8));
        assertThat(photos.after(told).withUsualShape(catalogue).shape()).isEqualTo("1x8x8");
        assertThatIllegalArgumentException().isThrownBy(() -> photos.withShape("2x8x8"));
    }

    private static void picture(Path pictures, int number) throws IOException {
        Path folder = Files.createDirectories(pictures.resolve(number % 2 == 0 ? "even" : "odd"));
        byte[] values = {(byte) number, 1, 2, 3};
        Files.write(folder.resolve(number + ".png"), ImageFile.png(Image.of(new Shape(1, 2, 2), values)));
    }

    /** Nobody knows what it saw, however often it is trained on. */
    @Test
    void aTrainingThatGoesOnFromWeightsOfUnknownOriginIsOfUnknownOrigin() {
        DataOptions adopted = DataOptions.of("mnist", List.of()).withAdopted(true);
        for (String ind : List.of("mnist", "usps")) {
            DataOptions second = DataOptions.of(ind, List.of()).after(adopted);
            DataOptions third = DataOptions.of(ind, List.of()).after(second);
            assertThat(List.of(second, third)).allMatch(data -> data.adopted() && data.overlaps());
        }
    }

    @Test
    void whatAnEarlierTrainingLearntIsNotUnseenOnceAnotherSetIsLearnt() {
        DataOptions first = DataOptions.of("mnist", List.of("svhn"));
        DataOptions second = DataOptions.of("usps", List.of("blobs")).after(first);
        assertThat(List.of("mnist", "mnist-small", "svhn", "blobs")).allMatch(second::sees);
        assertThat(second.overlaps()).isFalse();
        DataOptions back = DataOptions.of("mnist", List.of()).withSeed(1).after(second);
        assertThat(List.of("usps", "svhn", "blobs")).allMatch(back::sees);
        assertThat(back.overlaps()).as("the first may have learnt them").isTrue();
    }

    /** One sample in twenty is of class 1, whose scores are lower. */
    @Test
    void aThresholdChosenOnALimitedNumberOfSamplesKeepsItsPromiseWhereClassesAreUnequal() {
        int[] labels = IntStream.range(0, SIZE).map(i -> i % 20 == 0 ? 1 : 0).toArray();
        Dataset all = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[SIZE], labels);
        double alarms = IntStream.range(0, 200)
                .mapToDouble(seed -> alarms(all, seed))
                .average()
                .orElseThrow();
        assertThat(alarms).isBetween(0.04, 0.052);
    }

    private static double alarms(Dataset all, long seed) {
        DataOptions options = DataOptions.of("any", List.of()).withSeed(seed);
        Threshold threshold =
                Calibration.of(scores(options.limited(all, 200), 2 * seed)).conformal(0.95);
        double[] fresh = scores(all, 2 * seed + 1);
        return (double) IntStream.range(0, SIZE)
                        .filter(i -> threshold.isOod(fresh[i]))
                        .count()
                / SIZE;
    }

    private static double[] scores(Dataset samples, long seed) {
        Random random = new Random(seed);
        return IntStream.range(0, samples.size())
                .mapToDouble(i -> random.nextGaussian() - 2 * samples.label(i))
                .toArray();
    }
}
