"""What plugin authors, and the tests of RCK itself, try their code on and against."""
