"""How the threads of torch wait for one another. OpenMP reads it when torch is loaded, so this is imported first.

By default they spin for milliseconds, and a machine that does anything else at the same time trains many times slower.
Threads that sleep at once have to be woken hundreds of times in a step: a small model loses a quarter of its time. So
they spin for a moment, about as long as it takes from one operation to the next, and then sleep.
"""

import os

if "OMP_WAIT_POLICY" not in os.environ:
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    # GNU's OpenMP, which torch for Linux has, heeds this before the policy: so many turns, some 20 microseconds.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
