package ai.wood.cli;

import java.util.List;

/** Adds commands to the command line. It is found by {@link java.util.ServiceLoader}, so that other jars can bring their own. */
public interface CommandProvider {

    /** New objects of classes with picocli's {@code Command} annotation. Help lists them by task where it knows their names. */
    List<Object> commands();
}
