"""What tests of several folders share: small indexes, whole and damaged."""
