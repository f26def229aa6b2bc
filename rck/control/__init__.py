"""Control from outside: a server that speaks the rosbridge protocol, and a client of it for Python programs."""
