"""The learners that ``benchmarks.peers`` compares: how to make them, ask them and count literals.

Every method has its own default settings (the exceptions stand in METHODS), seed 0 and one thread.
Those that do not take texts get every level of every column as a 0/1 column, numbers scaled;
FasterRisk the 0/1 columns of our own encoder.

Literals are the conditions that have to be read. In a set of rules or a list: the conditions of all
rules. A tree is written as an OR of ANDs: the conditions on the paths to all leaves that predict 1.
In a sum of trees (FIGS) every leaf counts, as every leaf adds to the answer. In a score the items,
in a regression the coefficients that are not zero, RuleFit's among them. The others have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bayesdnf import DNFClassifier, LiteralTransformer, PosteriorDNFClassifier

LEAVES = (2, 4, 8, 16, 32, 64, 128)

Floats = NDArray[np.float64]
Size = Callable[[Any], dict[str, int]]


def second_column(model: Any, X: pd.DataFrame) -> Floats:
    """Return the risk as scikit-learn's estimators tell it."""
    return np.asarray(model.predict_proba(X))[:, 1]


class Answer(NamedTuple):
    """What a fitted learner is asked for: risks of rows, and how much there is to read."""

    size: Size | None = None
    risks: Callable[[Any, pd.DataFrame], Floats] = second_column
    prepare: Callable[[Any], Any] | None = None  # additional work after the fit, before predictions


class Method(NamedTuple):
    """A learner: how to make it, and the answers to ask of one fit."""

    package: str
    make: Callable[[], Any]
    answers: dict[str, Answer]


class Shares:
    """Give a learner that answers with classes the training shares of positives as its risks."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def fit(self, X: pd.DataFrame, y: NDArray[np.int64]) -> Shares:
        """Fit the learner, and count positives among the rows of each class it predicts."""
        self.learner.fit(X, y)
        classes = self.learner.predict(X)
        self.risks = np.array(
            [(y[classes == c].sum() + 1) / ((classes == c).sum() + 2) for c in (0, 1)]
        )
        return self

    def predict_proba(self, X: pd.DataFrame) -> Floats:
        """Return both probabilities of each row."""
        risk = self.risks[np.asarray(self.learner.predict(X)).astype(np.intp)]
        return np.column_stack([1 - risk, risk])


class Wittgenstein:
    """RIPPER or IREP with the calls of scikit-learn."""

    def __init__(self, name: str) -> None:
        self.learner = getattr(import_module("wittgenstein"), name)(random_state=0)

    def fit(self, X: pd.DataFrame, y: NDArray[np.int64]) -> Wittgenstein:
        """Learn rules for class 1; it wants the labels as a list."""
        self.learner.fit(X, y.tolist(), pos_class=1)
        return self

    def predict(self, X: pd.DataFrame) -> NDArray[np.int64]:
        """Return 1 where a rule holds."""
        return np.asarray(self.learner.predict(X)).astype(np.int64)


class FasterRisk(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The best integer score of at most so many items."""

    def __init__(self, items: int) -> None:
        self.items = items
        self.module = import_module("fasterrisk.fasterrisk")
        self.classes_ = np.array([0, 1])  # scikit-learn's pipeline checks this attribute

    def fit(self, X: NDArray[np.uint8], y: NDArray[np.int64]) -> FasterRisk:
        """Look for scores, and take the first."""
        items = min(self.items, X.shape[1])
        search = self.module.RiskScoreOptimizer(X=X.astype(float), y=2.0 * y - 1, k=items)
        search.optimize()
        multiplier, intercept, self.points = search.get_models(model_index=0)
        self.score = self.module.RiskScoreClassifier(multiplier, intercept, self.points)
        return self

    def predict_proba(self, X: NDArray[np.uint8]) -> Floats:
        """Return both probabilities of each row."""
        risk = np.asarray(self.score.predict_prob(X.astype(float)))
        return np.column_stack([1 - risk, risk])


def coded(estimator: Any) -> Any:
    """Give an estimator a 0/1 column for every level; a level not seen in training is all 0."""
    levels = OneHotEncoder(handle_unknown="ignore", drop="if_binary", sparse_output=False)
    columns = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (levels, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, estimator)


def imodels(name: str, **settings: Any) -> Callable[[], Any]:
    """Make a maker of a learner of imodels."""
    return lambda: coded(getattr(import_module("imodels"), name)(**settings))


def ebm() -> Any:
    """Make an explainable boosting machine."""
    glassbox = import_module("interpret.glassbox")
    # EBM's defaults, 14 bags of up to 50,000 rounds, take minutes for a fold.
    return glassbox.ExplainableBoostingClassifier(
        outer_bags=4, max_rounds=1000, random_state=0, n_jobs=1
    )


def bart() -> Any:
    """Make Bayesian additive regression trees, probit, with the draws of its textbook form."""
    made = import_module("stochtree").StochTreeBARTBinaryClassifier
    return coded(made(num_mcmc=500, general_params={"random_seed": 0, "num_threads": 1}))


def logistic() -> Any:
    """Make a logistic regression with an L1 penalty of the best strength."""
    plain = LogisticRegression(l1_ratio=1, solver="liblinear", max_iter=2000)
    return coded(GridSearchCV(plain, {"C": np.logspace(-2, 2, 9)}, scoring="neg_log_loss", cv=5))


def pruned_tree() -> Any:
    """Make a tree whose number of leaves is chosen by five inner folds, the fewest of equals."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)  # some tables are sorted
    tree = DecisionTreeClassifier(random_state=0)
    return coded(GridSearchCV(tree, {"max_leaf_nodes": LEAVES}, cv=folds))


def size_of_tree(pipeline: Any) -> dict[str, int]:
    """Count conditions on the paths to leaves that predict 1, and splits."""
    tree = getattr(pipeline[-1], "best_estimator_", pipeline[-1]).tree_
    literals, splits, nodes = 0, 0, [(0, 0)]
    while nodes:
        node, depth = nodes.pop()
        if tree.children_left[node] >= 0:
            splits += 1
            nodes += [(tree.children_left[node], depth + 1), (tree.children_right[node], depth + 1)]
        elif tree.value[node, 0, 1] > tree.value[node, 0, 0]:
            literals += depth
    return {"literals": literals, "splits": splits}


def size_of_figs(pipeline: Any) -> dict[str, int]:
    """Count conditions on the paths to all leaves of all trees, and splits."""
    literals, splits = 0, 0
    nodes = [(tree, 0) for tree in pipeline[-1].trees_]
    while nodes:
        node, depth = nodes.pop()
        if node.left is not None:
            splits += 1
            nodes += [(node.left, depth + 1), (node.right, depth + 1)]
        else:
            literals += depth
    return {"literals": literals, "splits": splits}


def size_of_rule(model: Any) -> dict[str, int]:
    """Count the literals of our function or list."""
    return {"literals": model.function_.n_literals}


def size_of_ripper(model: Any) -> dict[str, int]:
    """Count the conditions of RIPPER or IREP."""
    return {"literals": sum(len(rule.conds) for rule in model.learner.learner.ruleset_.rules)}


def size_of_weighted_rules(pipeline: Any) -> dict[str, int]:
    """Take what RuleFit and SkopeRules count: conditions, and linear terms that are not zero."""
    return {"literals": int(pipeline[-1].complexity_)}


def size_of_score(pipeline: Any) -> dict[str, int]:
    """Count the items of a score."""
    return {"literals": int(np.count_nonzero(pipeline[-1].points))}


def size_of_regression(pipeline: Any) -> dict[str, int]:
    """Count the coefficients that are not zero."""
    return {"literals": int(np.count_nonzero(pipeline[-1].best_estimator_.coef_))}


def representative(most: int) -> Answer:
    """Ask for the short rule that stands for the average."""
    return Answer(
        lambda model: {"literals": model.representative(most).rule.n_literals},
        lambda model, X: model.representative_proba(X, max_literals=most)[:, 1],
        lambda model: model.representative(most),
    )


def one(name: str, package: str, make: Callable[[], Any], size: Size | None = None) -> Any:
    """Make an entry of METHODS that gives one answer."""
    return name, Method(package, make, {name: Answer(size)})


def score(items: int) -> Any:
    """Make the entry of a score."""
    literals = LiteralTransformer(negations=False)
    name = f"FasterRisk, {items}"
    return one(
        name, "fasterrisk", lambda: make_pipeline(literals, FasterRisk(items)), size_of_score
    )


METHODS: dict[str, Method] = dict(
    [
        one("function", "bayesdnf", lambda: DNFClassifier(random_state=0), size_of_rule),
        one("list", "bayesdnf", lambda: DNFClassifier(layers=4, random_state=0), size_of_rule),
        one(
            "averaged functions",
            "bayesdnf",
            lambda: PosteriorDNFClassifier(layers=1, random_state=0),
        ),
        (
            "averaged lists",
            Method(
                "bayesdnf",
                lambda: PosteriorDNFClassifier(layers=4, random_state=0),
                {
                    "averaged lists": Answer(),
                    "representative, 15": representative(15),
                    "representative, 5": representative(5),
                },
            ),
        ),
        one(
            "random forest",
            "scikit-learn",
            lambda: coded(RandomForestClassifier(random_state=0)),
        ),
        one(
            "HistGB",
            "scikit-learn",
            lambda: coded(HistGradientBoostingClassifier(random_state=0)),
        ),
        one("EBM", "interpret-core", ebm),
        one("BART", "stochtree", bart),
        one("logistic L1", "scikit-learn", logistic, size_of_regression),
        score(5),
        score(10),
        one("RIPPER", "wittgenstein", lambda: Shares(Wittgenstein("RIPPER")), size_of_ripper),
        one("FIGS", "imodels", imodels("FIGSClassifier", random_state=0), size_of_figs),
        one(
            "tree",
            "scikit-learn",
            lambda: coded(DecisionTreeClassifier(random_state=0)),
            size_of_tree,
        ),
        one("tree sized by CV", "scikit-learn", pruned_tree, size_of_tree),
        one("IREP", "wittgenstein", lambda: Shares(Wittgenstein("IREP")), size_of_ripper),
        one(
            "SkopeRules",
            "imodels",
            imodels("SkopeRulesClassifier", random_state=0),
            size_of_weighted_rules,
        ),
        one(
            "RuleFit",
            "imodels",
            imodels("RuleFitClassifier", random_state=0),
            size_of_weighted_rules,
        ),
    ]
)


def installed(names: Iterable[str]) -> list[str]:
    """Import what the methods need, so that child processes have it; tell of those left out."""
    found = []
    for name in names:
        try:
            METHODS[name].make()
            found.append(name)
        except ModuleNotFoundError as error:
            print(f"{name} is left out: {error}.")
    return found
