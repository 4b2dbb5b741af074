"""What the user sees: commands, flags, what they do, and how it is shown.

app.py, lazy.py              the table of commands; each is imported when it is called
boundary.py                  errors become a message and an exit status, here alone
helptext.py, completion.py   help and shell completion
commands/                    one module per command: its help, its flags, one call
asking/                      what commands that ask do: query, chat, batch, check-answers, drift
upkeep/                      what the others do: index, config, doctor, cache
render/                      a run as it is shown: answer, progress, notices, sources, usage
flags/                       how flags are declared, groups of them, the values made of them
terminal/                    streams, files, tables; foreign text made safe

A folder imports from those below it here, never from one above.
"""
