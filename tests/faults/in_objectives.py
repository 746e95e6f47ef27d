"""Faults in what is asked: objectives, their chance, and what a student learns from its teacher."""

from fault import Fault

OBJECTIVES = (
    Fault(
        "special tokens asked", "objectives/mlm.py", "~vocabulary.is_special(ids)", "ids >= 0", "objectives/test_mlm.py"
    ),
    Fault(
        "no random tokens", "objectives/mlm.py", "draw < s.mask + s.random", "draw < s.mask", "objectives/test_mlm.py"
    ),
    Fault(
        "answers shown",
        "objectives/mlm.py",
        "np.where(asked, disturbed, ids)",
        "np.where(asked, ids, disturbed)",
        "objectives/test_mlm.py",
    ),
    Fault(
        "share rounded down",
        "noise.py",
        "np.floor(rate * n + dice.random(1)[:, 0]).astype(np.int64)\n    count = ",
        "np.floor(rate * n + 0 * dice.random(1)[:, 0]).astype(np.int64)\n    count = ",
        "test_noise.py",
    ),
    Fault(
        "rows share their luck",
        "noise.py",
        "start ^ _mix(keys + _ROW)",
        "start ^ _mix(0 * keys + _ROW)",
        "test_noise.py",
    ),
    Fault(
        "token before asked",
        "objectives/clm.py",
        "np.roll(ids, -1, axis=1)",
        "np.roll(ids, 1, axis=1)",
        "objectives/test_clm.py",
    ),
    Fault("padding asked", "objectives/clm.py", "real[:, :-1] & real[:, 1:]", "real[:, :-1]", "objectives/test_clm.py"),
    Fault(
        "order never swapped",
        "objectives/sop.py",
        "first, second = second, first",
        "first, second = first, second",
        "objectives/test_sop.py",
    ),
    Fault(
        "answer about the next sentence inverted",
        "objectives/nsp.py",
        "answer=int(random)",
        "answer=int(not random)",
        "objectives/test_nsp.py",
    ),
    Fault(
        "words corrected token by token",
        "objectives/macbert.py",
        "together(dice.random(tokens), words)",
        "dice.random(tokens)",
        "objectives/test_macbert.py",
    ),
    Fault(
        "generator sees what it is asked",
        "objectives/rtd.py",
        "dice.random(ids.shape[1]) < s.mask",
        "dice.random(ids.shape[1]) < 0.5 * s.mask",
        "objectives/test_rtd.py",
    ),
    Fault(
        "turn sees itself",
        "objectives/permutation.py",
        "np.where(asked, order, order + 1)",
        "order + 1",
        "objectives/test_permutation.py",
    ),
    Fault(
        "gaps rounded down",
        "objectives/span_corruption.py",
        "round(n * s.rate)",
        "int(n * s.rate)",
        "objectives/test_span_corruption.py",
    ),
    Fault(
        "gap at the start",
        "objectives/span_corruption.py",
        "np.tile([False, True], gaps)",
        "np.tile([True, False], gaps)",
        "objectives/test_span_corruption.py",
    ),
    Fault(
        "text cannot see all of the text",
        "objectives/blank_infilling.py",
        "text[:, None, :] | np.tri(real.shape[1], dtype=bool)",
        "np.tri(real.shape[1], dtype=bool)",
        "objectives/test_blank_infilling.py",
    ),
    Fault(
        "blanks touch",
        "objectives/blank_infilling.py",
        "free[before : at + length + 1]",
        "free[at : at + length]",
        "objectives/test_blank_infilling.py",
    ),
    Fault(
        "window into another text",
        "objectives/window.py",
        "kept.cumsum(1) + text",
        "kept.cumsum(1)",
        "objectives/test_window.py",
    ),
    Fault(
        "window of one reach",
        "objectives/window.py",
        "dice.integers(1, s.reach + 1, ids.shape[1])",
        "dice.integers(s.reach, s.reach + 1, ids.shape[1])",
        "objectives/test_window.py",
    ),
    Fault("temperature off", "engine/distil.py", " * TEMPERATURE**2", "", "test_distil.py"),
    Fault(
        "decoder begins with padding",
        "objectives/denoising.py",
        "[vocabulary.separate] * len(ids)",
        "[vocabulary.pad] * len(ids)",
        "objectives/test_denoising.py",
    ),
)
