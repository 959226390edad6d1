"""Plans as code: a person's or a model's Python over the robot's skills.

A program runs in the sandbox. Before anything moves it runs on what is observed and on what the
library's operators say follows (`outcome`, by the calls in `rehearsal`); what it would do is a plan
like any other, which the validator, the gate and the repairers know (`stages`). `functions` tells
what may be called, `finding` and `placing` which thing and which place is meant; `requests` says
what a skill comes to that a program wants to be taught, `wishes` what words do.
"""
