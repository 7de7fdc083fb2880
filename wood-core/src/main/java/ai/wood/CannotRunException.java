package ai.wood;

/**
 * A scorer cannot work with the data it was given: something it requires is missing or does not suffice. The message
 * says what. A comparison of scorers skips such a scorer and reports the reason. Every other exception is a defect.
 */
public final class CannotRunException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    public CannotRunException(String reason) {
        super(reason);
    }
}
