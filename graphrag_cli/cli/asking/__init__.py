"""What commands that ask a question do: one question, a conversation, a file of questions, a check of answers."""
