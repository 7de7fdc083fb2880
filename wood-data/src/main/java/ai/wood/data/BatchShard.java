package ai.wood.data;

/**
 * One of several equal parts of every batch, where several processes make a batch together: the first part has the first
 * InD samples and the first OOD samples, and so on. A sample is the same in whichever part it lies.
 *
 * @param part counted from 0
 * @param parts how many there are
 */
public record BatchShard(int part, int parts) {

    /** The whole batch. */
    public static final BatchShard ALL = new BatchShard(0, 1);

    public BatchShard {
        if (parts < 1 || part < 0 || part >= parts) {
            throw new IllegalArgumentException(
                    "parts count from 0 to one less than there are but this is part " + part + " of " + parts);
        }
    }

    /** How many of a batch's samples are in a part. */
    public int of(int count) {
        return count / parts;
    }

    /** Where the n-th sample of this part lies in the whole batch, which has InD samples first. */
    int place(int n, int ind, int ood) {
        return n < of(ind) ? part * of(ind) + n : ind + part * of(ood) + n - of(ind);
    }

    /** Refuses a batch that cannot be divided. */
    void check(int ind, int ood) {
        if (ind % parts != 0 || ood % parts != 0) {
            throw new IllegalArgumentException("a batch made in " + parts
                    + " parts must have numbers of InD and OOD samples that " + parts + " divides but has " + ind
                    + " and " + ood);
        }
    }
}
