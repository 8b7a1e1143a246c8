"""Files and arguments of the commands that read a study."""

QUICK = ("--draws", 100, "--chains", 2)


def markers(*arguments, files="study"):
    return ("markers", files, "--out", "results", *QUICK, *arguments)
