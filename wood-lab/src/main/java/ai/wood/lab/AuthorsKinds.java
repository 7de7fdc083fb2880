package ai.wood.lab;

import ai.wood.FitData;
import ai.wood.Parameters;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import java.util.Set;

/** The score of the paper's published code as kinds of scorers, which the services of this jar name. */
abstract class AuthorsKinds implements ScorerKind {

    private final String cost;
    private final AuthorsScorer scorer;

    private AuthorsKinds(String cost, AuthorsScorer scorer) {
        this.cost = cost;
        this.scorer = scorer;
    }

    @Override
    public String id() {
        return "wood-authors-" + cost;
    }

    @Override
    public String description() {
        return "as the WOOD paper's code computes it, " + cost + " cost";
    }

    @Override
    public Set<Requirement> requires() {
        return Set.of(Requirement.PREDICTIONS);
    }

    @Override
    public Scorer fit(FitData data, Settings settings) {
        return scorer;
    }

    @Override
    public Scorer restore(Parameters saved) {
        return scorer;
    }

    /** With the binary cost. */
    public static final class Binary extends AuthorsKinds {
        public Binary() {
            super("binary", AuthorsScorer.BINARY);
        }
    }

    /** With the dynamic cost. */
    public static final class Dynamic extends AuthorsKinds {
        public Dynamic() {
            super("dynamic", AuthorsScorer.DYNAMIC);
        }
    }
}
