package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import ai.wood.data.DatasetList.ArrayKind;
import ai.wood.data.DatasetList.Item;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetListTest {

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            svhn; svhn
            svhn,textures,blobs; svhn|textures|blobs
            mix:blobs*3+svhn; mix:blobs*3+svhn
            mix:blobs*3+svhn,textures; mix:blobs*3+svhn|textures
            a,mix:b+c,mix:d*2+e,f; a|mix:b+c|mix:d*2+e|f
            a,mix:b*3,c; a|mix:b*3,c
            mix:b; mix:b
            mix:a+b,mix:c*3,d; mix:a+b|mix:c*3,d
            cifar10/0-5,tiny-imagenet-train/n01443537+n01629819,svhn; cifar10/0-5|tiny-imagenet-train/n01443537+n01629819|svhn
            rotated:mnist,folder:/a b/c; rotated:mnist|folder:/a b/c
            folder:C:\\photos\\x,svhn; folder:C:\\photos\\x|svhn
            folder:/a\\,b,svhn; folder:/a,b|svhn
            folder:/c++,svhn; folder:/c++|svhn
            folder:/a=b,npy:x=y.npy; folder:/a=b|npy:x=y.npy
            """)
    void aCommaSeparatesDatasetsAndAPlusJoinsTheParts(String list, String names) {
        assertThat(DatasetList.names(list)).containsExactly(names.split("\\|", -1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            mix:a*3+b; a*3|b
            mix:a*3,b; a*3|b
            mix:a; a
            mix:a*3,folder:/c++; a*3|folder:/c++
            mix:folder:/c\\+\\++a; folder:/c++|a
            mix:folder:/x\\,y+a; folder:/x,y|a
            """)
    void aMixtureHasPartsInItsOldAndItsNewForm(String mixture, String parts) {
        String[] expected = parts.split("\\|", -1);
        assertThat(DatasetList.parts(mixture)).containsExactly(expected);
        String again = DatasetList.withParts(mixture, List.of(expected));
        assertThat(DatasetList.names(again)).containsExactly(again);
        assertThat(DatasetList.parts(again)).containsExactly(expected);
    }

    @Test
    void aSetOfArraysHasANameAndAFileOfEachKind() {
        assertThat(DatasetList.parse("night=logits:n/x.npy,features:n/f.npy"))
                .containsExactly(new Item(
                        "night", Map.of(ArrayKind.LOGITS, Path.of("n/x.npy"), ArrayKind.FEATURES, Path.of("n/f.npy"))));
        List<Item> items =
                DatasetList.parse("a=probabilities:p.csv,labels:y=1.csv,svhn,b=features:C:\\f\\,g.npy,mix:c,d");
        assertThat(items).extracting(Item::name).containsExactly("a", "svhn", "b", "mix:c,d");
        assertThat(items).extracting(Item::isArrays).containsExactly(true, false, true, false);
        assertThat(items.get(0).arrays())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(ArrayKind.PROBABILITIES, Path.of("p.csv"), ArrayKind.LABELS, Path.of("y=1.csv")));
        assertThat(items.get(2).arrays()).containsEntry(ArrayKind.FEATURES, Path.of("C:\\f,g.npy"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            a,,b; in the list 'a,,b' at position 3: a dataset is missing
            ,a; at position 1: a dataset is missing
            a,; at position 3: a dataset is missing
            a, ,b; at position 3: a dataset is missing
            n=logit:x; at position 3: an array needs its kind
            n=; at position 3: an array needs its kind
            n=logits:; at position 3: the file of an array is missing
            n=logits:a,logits:b; at position 12: the set has two files of kind logits
            """)
    void errorsNameTheListAndThePosition(String list, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DatasetList.parse(list))
                .withMessageContaining(message)
                .withMessageContaining("'" + list + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mix:", "mix:a+", "mix:+a", "mix:a,", "mix:a++b"})
    void aPartOfAMixtureMustNotBeEmpty(String mixture) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DatasetList.parts(mixture))
                .withMessageContaining("in the list '" + mixture + "' at position")
                .withMessageContaining("a part of the mixture is missing");
    }

    @Test
    void arraysAreRefusedWhereOnlyDatasetsAreMeant() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DatasetList.names("svhn,night=logits:x.npy"))
                .withMessageContaining("entry 2 of the list 'svhn,night=logits:x.npy' is a set of arrays");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,", "mix:a+b,", "mix:a,", "n=logits:x,", "a+", "mix:", "\\,", "mix:a\\+", "="})
    void hostileListsAreParsedInLinearTime(String piece) {
        String list = piece.repeat(10_000) + "a";
        assertTimeoutPreemptively(Duration.ofSeconds(2), () -> {
            try {
                DatasetList.parse(list);
                DatasetList.parts("mix:" + list);
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).contains("at position");
            }
        });
    }
}
