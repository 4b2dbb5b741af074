"""Everything that can go wrong, as one tree. The exit status is on the class.

    CliError                      1    unexpected, or not classified further
    ├── UsageError                2    a flag, an argument or an input file of questions
    ├── SettingsError             3    settings.yaml, .env, environment, --set
    │   └── PromptError           3    a prompt file that is missing or lacks a placeholder
    ├── IndexDataError            4    tables: missing, unreadable, empty, of no known version
    │   └── VectorError           4    vectors: missing, empty, of another width or another index
    ├── ModelError                5    a model could not be reached or refused
    │   ├── AuthError             5    401, 403, missing key
    │   ├── RateLimitError        5    429 that outlasted every retry
    │   ├── ModelTimeoutError     5    no reply within the time allowed
    │   ├── ContextLengthError    5    the prompt is longer than the model's window
    │   ├── ContentFilterError    5    the provider's filter refused prompt or reply
    │   ├── UnusableReplyError    5    a reply arrived, but not one that the step can use
    │   └── ReplayMissError       5    --replay has no such exchange
    ├── LimitError                6    --max-calls, --max-tokens or --max-cost reached
    ├── PartialError              6    some questions, batches or steps failed
    ├── DeadlineError           124    --deadline passed with nothing to show
    └── InterruptedRunError     130    Ctrl-C
        └── TerminatedRunError  143    SIGTERM

``cli/boundary.py`` is the only place that turns these into an exit status. A raiser gives a message that
names the thing (file, key, URL, id) and a hint that says what to do; neither may hold a secret.
"""

from __future__ import annotations

from typing import ClassVar


class CliError(Exception):
    """The root: ``message`` says what is wrong, ``hint`` what to do about it."""

    exit_code: ClassVar[int] = 1
    code: ClassVar[str] = "error"
    """Stable name for programs, e.g. ``model.auth``; part of the JSON error document."""
    meaning: ClassVar[str] = "unexpected"
    """One phrase for README's table of exit statuses."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(CliError):
    """A flag, an argument or a file of questions is not usable."""

    exit_code = 2
    code = "usage"
    meaning = "usage"


class SettingsError(CliError):
    """Settings are missing, unreadable or contradict each other; the message names file, line and key."""

    exit_code = 3
    code = "settings"
    meaning = "settings or prompt"


class PromptError(SettingsError):
    """A prompt file is missing, or lacks a placeholder that its stage fills."""

    code = "settings.prompt"


class IndexDataError(CliError):
    """A table is missing, unreadable, empty, or of no version that can be read."""

    exit_code = 4
    code = "index"
    meaning = "index"


class VectorError(IndexDataError):
    """A vector table is missing, empty, of another width, or belongs to other tables."""

    code = "index.vectors"


class ModelError(CliError):
    """A model could not be reached or refused.

    ``retryable`` says whether another try may succeed, ``fatal`` that no call to this model will: its key, its name
    or its address is wrong, the account is empty, or nobody answers there.
    """

    exit_code = 5
    code = "model"
    meaning = "model or provider"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        fatal: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        """HTTP status, where there was one."""
        self.retryable = retryable
        self.fatal = fatal
        self.retry_after = retry_after
        """Seconds the server asked us to wait, where it did."""


class AuthError(ModelError):
    """The key is missing, wrong, or not allowed to use the model."""

    code = "model.auth"

    def __init__(
        self, message: str, *, hint: str | None = None, status: int | None = None, fatal: bool = True
    ) -> None:
        super().__init__(message, hint=hint, status=status, fatal=fatal)


class RateLimitError(ModelError):
    """The provider's rate limit or quota outlasted every retry."""

    code = "model.rate_limit"


class ModelTimeoutError(ModelError):
    """No reply within the time allowed."""

    code = "model.timeout"


class ContextLengthError(ModelError):
    """The prompt is longer than the model's window.

    A caller that can ask with less catches this: it splits its batch or shortens its context, and says so.
    """

    code = "model.context_length"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        limit: int | None = None,
        requested: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint, status=status)
        self.limit = limit
        """Tokens that fit, where that is known."""
        self.requested = requested
        """Tokens that were asked for, where that is known."""


class ContentFilterError(ModelError):
    """The provider's content filter refused the prompt or the reply."""

    code = "model.filtered"


class UnusableReplyError(ModelError):
    """A reply arrived, but not one that the step can use, even after a second try."""

    code = "model.unusable"


class ReplayMissError(ModelError):
    """A replayed run asked for an exchange that the recording does not hold."""

    code = "model.replay_miss"


class LimitError(CliError):
    """A limit on calls, tokens or cost was reached before anything could be answered."""

    exit_code = 6
    code = "limit"
    meaning = "partial: some batches, steps or questions failed, or a limit ended the run"


class PartialError(CliError):
    """Some questions, batches or steps failed; what could be answered was."""

    exit_code = 6
    code = "partial"
    meaning = LimitError.meaning


class DeadlineError(CliError):
    """The deadline passed with nothing to show."""

    exit_code = 124
    code = "deadline"
    meaning = "deadline passed with nothing to show"


class InterruptedRunError(CliError):
    """The user pressed Ctrl-C."""

    exit_code = 130
    code = "interrupted"
    meaning = "interrupted"


class TerminatedRunError(InterruptedRunError):
    """Another program asked this one to end (SIGTERM)."""

    exit_code = 143
    code = "terminated"
    meaning = "terminated by SIGTERM"
