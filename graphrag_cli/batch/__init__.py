"""Many questions over one loaded index: read, asked side by side, written as whole lines, resumable.

questions.py   a file of questions in any of four forms
line.py        one line of the output, as it is written and read back
journal.py     the output file: whole lines in order, safe against a kill at any moment
run.py         workers in one event loop
summary.py     what came of it
"""
