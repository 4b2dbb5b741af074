"""What a run spends: calls and tokens by stage, cost, and the limits that end a run early."""
