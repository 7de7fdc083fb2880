package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

class DatasetListConsumerTest {

    @Command
    private static final class Sets {
        @Option(names = "--ood", required = true, parameterConsumer = DatasetListConsumer.class)
        private List<String> ood;

        @Option(names = "--near", parameterConsumer = DatasetListConsumer.class)
        private Set<String> near = Set.of();
    }

    private static Sets parse(String... arguments) {
        Sets sets = new Sets();
        new CommandLine(sets).parseArgs(arguments);
        return sets;
    }

    @Test
    void listsAreSplitAndOptionsMayBeRepeated() {
        Sets sets = parse("--ood", "mix:a*3+b,c", "--near=c,d", "--ood=mix:e*2,f", "--near", "c");
        assertThat(sets.ood).containsExactly("mix:a*3+b", "c", "mix:e*2,f");
        assertThat(sets.near).containsExactly("c", "d");
    }

    @Test
    void mistakesAreMistakesOfTheOption() {
        assertThatThrownBy(() -> parse("--ood", "a,,b"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("in the list 'a,,b' at position 3");
        assertThatThrownBy(() -> parse("--ood")).isInstanceOf(ParameterException.class);
        assertThatThrownBy(() -> parse("--ood", "--near", "a"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("--ood")
                .hasMessageContaining("--near");
        assertThatThrownBy(() -> parse("--near", "a"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("--ood");
    }
}
