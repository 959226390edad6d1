"""Plans as code: a person's or a model's Python over the robot's skills.

A program runs in the sandbox. Before anything moves it runs on what is observed and on what the
library's operators say follows (`rehearsal`); what it would do is a plan like any other, which
the validator, the gate and the repairers know (`stages`). `finding` answers which thing is meant;
`requests` says what a skill that a program wants to be taught comes to.
"""
