package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {

    private static final List<String> KNOWN =
            List.of("mnist", "fashion-mnist", "cifar10", "cifar100", "svhn", "max-logit", "energy");

    @ParameterizedTest
    @CsvSource({
        "minst, mnist", // neighbours swapped
        "mnst, mnist", // one missing
        "cifar-10, cifar10",
        "CIFAR_100, cifar100",
        "svnh, svhn",
        "fashionmnist, fashion-mnist",
        "maxlogits, max-logit",
        "enrgy, energy"
    })
    void suggestsTheNameThatTakesFewestChanges(String typed, String meant) {
        assertThat(Names.nearest(typed, KNOWN)).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"imagenet", "x", "''", "a-very-long-name-that-is-like-none-of-them"})
    void suggestsNothingWhereNothingIsNear(String typed) {
        assertThat(Names.nearest(typed, KNOWN)).isEmpty();
    }

    @Test
    void findsByNameOrExplains() {
        String[] all = KNOWN.toArray(String[]::new);
        assertThat(Names.find("dataset", "svhn", all, Function.identity())).isEqualTo("svhn");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.find("dataset", "svhm", all, Function.identity()))
                .withMessageStartingWith(
                        "there is no dataset 'svhm'. Did you mean svhn? There are mnist, fashion-mnist,");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Names.find("dataset", "imagenet", all, Function.identity()))
                .withMessageStartingWith("there is no dataset 'imagenet'. There are mnist,");
    }

    /** Names come from files too: neither the search nor the message may grow with them. */
    @Test
    void anAbsurdlyLongNameCostsNothing() {
        String absurd = "s".repeat(10_000_000);
        assertThat(Names.nearest(absurd, KNOWN)).isEmpty();
        assertThat(Names.nearest("svhm", List.of(absurd, "svhn"))).contains("svhn");
        assertThat(Names.unknown("dataset", absurd, KNOWN)).hasMessageStartingWith("there is no dataset 'sss");
        assertThat(Names.unknown("dataset", absurd, KNOWN).getMessage()).hasSizeLessThan(1000);
    }
}
