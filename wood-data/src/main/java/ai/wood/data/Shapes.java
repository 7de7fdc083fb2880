package ai.wood.data;

/** The shapes that most small datasets have. */
final class Shapes {

    static final Shape GREY_28 = new Shape(1, 28, 28);
    static final Shape COLOUR_32 = new Shape(3, 32, 32);

    private Shapes() {}
}
