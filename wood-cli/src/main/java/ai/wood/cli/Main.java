package ai.wood.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import ai.wood.Names;
import ai.wood.io.UnknownScorerException;
import ai.wood.torch.train.DivergedException;
import ai.wood.torch.train.StoppedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code wood} command. */
@Command(
        name = "wood",
        description = {
            "Tells when a classifier is out of its depth: out-of-distribution (OOD) detection.",
            "A larger score always means more OOD."
        },
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        scope = ScopeType.INHERIT,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:a defect in this program; --debug shows where", "2:bad input or options"},
        footer = {"", "Start with: wood demo"},
        subcommands = {
            DemoCommand.class,
            DoctorCommand.class,
            DataCommand.class,
            ScoreCommand.class,
            DetectCommand.class,
            ServeCommand.class,
            CalibrateCommand.class,
            BundleCommand.class,
            MetricsCommand.class,
            TrainCommand.class,
            TuneCommand.class,
            EvaluateCommand.class,
            AdoptCommand.class,
            ExportCommand.class,
            VersionCommand.class,
            CompletionCommand.class
        })
public final class Main implements Runnable {

    /** Exit code of bad input or options. */
    public static final int BAD_INPUT = 2;

    /** Exit code of work that was done for some of the inputs. */
    static final int DONE_IN_PART = 3;

    /** Exit code of a defect in the program. */
    static final int DEFECT = 1;

    @Spec
    private CommandSpec spec;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show stack traces of failures.")
    private boolean debug;

    @SuppressWarnings("UnusedVariable") // Plugins reads it before there are commands
    @Option(
            names = Plugins.OPTION,
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            description = "Load the jars of this folder: your own scorers and datasets. Default: WOOD_PLUGINS.")
    private @Nullable Path plugins;

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT); // files and lines that other programs read, the same everywhere
        System.setProperty("java.awt.headless", "true"); // pictures are painted without a screen
        Exit.prepare();
        System.exit(run(new PrintWriter(System.out, false, UTF_8), new PrintWriter(System.err, true, UTF_8), args));
    }

    /** The command line's grammar, for documentation and completion. */
    public static CommandLine commandLine() {
        return grammar(new Main());
    }

    private static CommandLine grammar(Main main) {
        CommandLine line = new CommandLine(main);
        ServiceLoader.load(CommandProvider.class).stream()
                .flatMap(provider -> provider.get().commands().stream())
                .forEach(line::addSubcommand);
        line.setCaseInsensitiveEnumValuesAllowed(true).registerConverter(Path.class, new PathConverter());
        Task.group(line);
        Footer.lay(line);
        return line;
    }

    /** Runs one command and returns its exit code. */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        Plugins plugins;
        try {
            plugins = Plugins.load(args);
        } catch (IOException e) {
            err.println("wood: " + e.getMessage());
            return BAD_INPUT;
        }
        try {
            return runWith(out, err, args);
        } finally {
            plugins.close();
        }
    }

    private static int runWith(PrintWriter out, PrintWriter err, String... args) {
        Main main = new Main();
        CommandLine line = grammar(main)
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler(Main::explain)
                .setExecutionStrategy(Main::executeKnown)
                .setExecutionExceptionHandler((failure, command, parsed) -> main.explain(failure, command));
        int code = main.execute(line, args);
        if (out.checkError() && code == 0) {
            err.println("wood: the output could not be written. Maybe the disk is full or the reader has gone.");
            return BAD_INPUT;
        }
        return code;
    }

    private int execute(CommandLine line, String... args) {
        try {
            return line.execute(args);
        } catch (OutOfMemoryError | LinkageError e) {
            line.getErr().println("wood: " + explain(e));
            if (debug) {
                e.printStackTrace(line.getErr());
            }
            return BAD_INPUT;
        }
    }

    /** Runs what was asked for. Picocli itself ignores words it does not know where {@code --help} follows them. */
    private static int executeKnown(ParseResult parsed) {
        for (ParseResult command : parsed.asCommandLineList().stream()
                .map(CommandLine::getParseResult)
                .toList()) {
            CommandLine line = command.commandSpec().commandLine();
            List<String> unknown = command.unmatched();
            if (!unknown.isEmpty() && !line.getSubcommands().isEmpty()) {
                throw new UnmatchedArgumentException(line, unknown);
            }
        }
        return new RunLast().execute(parsed);
    }

    private static String explain(Error failure) {
        return failure instanceof OutOfMemoryError
                ? "this needs more memory than the " + (Runtime.getRuntime().maxMemory() >> 20)
                        + " MiB that Java may use (" + failure.getMessage()
                        + "). Maybe set WOOD_JAVA_OPTS=-Xmx8g, or work on less (--limit)."
                : "native code could not be loaded: " + reason(failure) + ". `wood doctor` tells more.";
    }

    /** What is at the bottom of a failure, in a line. */
    static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse(cause.toString());
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Tells of something that may not be meant, and goes on. */
    static void warn(CommandSpec command, String message) {
        command.commandLine().getErr().println("wood: warning: " + message);
    }

    private static int explain(ParameterException problem, String[] args) {
        CommandLine command = problem.getCommandLine();
        PrintWriter err = command.getErr();
        Optional<String> unknown = unknownCommand(problem);
        err.println("wood: " + unknown.orElseGet(() -> told(String.valueOf(problem.getMessage()))));
        Optional<String> meant = meant(problem);
        if (meant.isPresent()) {
            err.println("Did you mean " + meant.get() + "?");
        } else if (unknown.isPresent() || !UnmatchedArgumentException.printSuggestions(problem, err)) {
            err.println("See: " + command.getCommandSpec().qualifiedName() + " --help");
        }
        return BAD_INPUT;
    }

    /** What picocli says, with values as help writes them. */
    private static String told(String message) {
        return Pattern.compile("expected one of \\[([A-Z0-9_, ]+)] \\(case-insensitive\\)")
                .matcher(message.replaceFirst("^Error: ", ""))
                .replaceFirst(values -> "expected one of "
                        + values.group(1).toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /** Says which commands there are, where a word stands in the place of one and is none. */
    private static Optional<String> unknownCommand(ParameterException problem) {
        List<String> known =
                List.copyOf(problem.getCommandLine().getSubcommands().keySet());
        return problem instanceof UnmatchedArgumentException unmatched
                        && !unmatched.isUnknownOption()
                        && !known.isEmpty()
                ? Optional.ofNullable(
                        Names.unknown("command", unmatched.getUnmatched().get(0), known)
                                .getMessage())
                : Optional.empty();
    }

    /** The nearest of the values that an option can have. */
    private static Optional<String> meant(ParameterException problem) {
        ArgSpec option = problem.getArgSpec();
        if (option == null || problem.getValue() == null || option.completionCandidates() == null) {
            return Optional.empty();
        }
        List<String> known = new ArrayList<>();
        option.completionCandidates().forEach(known::add);
        return Names.nearest(problem.getValue(), known);
    }

    /** Java's own message is often the path alone. */
    private static String explain(FileSystemException failure) {
        if (failure instanceof NoSuchFileException) {
            return failure.getFile() + ": there is no such file or folder";
        }
        if (failure instanceof AccessDeniedException) {
            return failure.getFile() + ": may not be read or written";
        }
        return failure.getFile() + ": "
                + Optional.ofNullable(failure.getReason())
                        .orElse(failure.getClass().getSimpleName());
    }

    private int explain(Exception failure, CommandLine command) {
        boolean users = failure instanceof IOException
                || failure instanceof UncheckedIOException
                || failure instanceof IllegalArgumentException
                || failure instanceof DivergedException;
        if (failure instanceof StoppedException && Exit.hasBegun()) {
            return BAD_INPUT; // TrainProgress tells whoever stopped this process
        }
        if (debug) {
            failure.printStackTrace(command.getErr());
        } else {
            String message = failure instanceof FileSystemException file
                    ? explain(file)
                    : Optional.ofNullable(failure.getMessage()).orElse(failure.toString())
                            + (failure instanceof UnknownScorerException ? Plugins.HINT : "");
            command.getErr()
                    .println(
                            users
                                    ? "wood: " + message
                                    : "wood: this should not have happened: "
                                            + failure.toString()
                                                    .lines()
                                                    .findFirst()
                                                    .orElse("")
                                            + ". --debug shows where.");
        }
        return users ? BAD_INPUT : DEFECT;
    }
}
