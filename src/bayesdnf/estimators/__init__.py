"""Estimators in scikit-learn's style; the only place that imports scikit-learn.

``classifier`` learns a rule, ``posterior_classifier`` averages over rules, ``transformer`` turns
tables into 0/1 columns, ``model_file`` writes and reads fitted rules as JSON.
"""
