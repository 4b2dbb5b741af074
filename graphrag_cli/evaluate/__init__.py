"""Answers checked against what was expected of them, without a judge model.

cases.py   questions with expected records, strings and outcomes, from a YAML or JSON Lines file
score.py   one answer document against its case; sums over many
junit.py   the outcome as a JUnit report, for CI
"""
