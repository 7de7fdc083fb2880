package ai.wood.data;

import java.util.List;
import java.util.stream.IntStream;

/** The class names of well-known datasets that do not bring them along. */
final class KnownClasses {

    static final List<String> DIGITS =
            IntStream.range(0, 10).mapToObj(String::valueOf).toList();

    static final List<String> LETTERS =
            IntStream.rangeClosed('a', 'z').mapToObj(Character::toString).toList();

    static final List<String> FASHION = List.of(
            "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot");

    static final List<String> CIFAR10 =
            List.of("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck");

    /** CIFAR-100's fine labels, alphabetically. */
    static final List<String> CIFAR100 = List.of("""
            apple, aquarium fish, baby, bear, beaver, bed, bee, beetle, bicycle, bottle, bowl, boy, bridge, \
            bus, butterfly, camel, can, castle, caterpillar, cattle, chair, chimpanzee, clock, cloud, \
            cockroach, couch, crab, crocodile, cup, dinosaur, dolphin, elephant, flatfish, forest, fox, \
            girl, hamster, house, kangaroo, keyboard, lamp, lawn mower, leopard, lion, lizard, lobster, \
            man, maple tree, motorcycle, mountain, mouse, mushroom, oak tree, orange, orchid, otter, palm \
            tree, pear, pickup truck, pine tree, plain, plate, poppy, porcupine, possum, rabbit, raccoon, \
            ray, road, rocket, rose, sea, seal, shark, shrew, skunk, skyscraper, snail, snake, spider, \
            squirrel, streetcar, sunflower, sweet pepper, table, tank, telephone, television, tiger, \
            tractor, train, trout, tulip, turtle, wardrobe, whale, willow tree, wolf, woman, worm""".split(", ", -1));

    private KnownClasses() {}
}
