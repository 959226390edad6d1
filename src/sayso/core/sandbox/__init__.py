"""Code that a model or a person wrote, run where it can do no harm.

Three walls, each enough for honest mistakes and together meant for dishonest code:

1. an allow-list of syntax, method names and builtins (`allow_list`): no imports, classes, dunder
   names, format templates; checked in the child process before anything runs;
2. a process of its own (`process`): `python -I -S`, an empty environment, no open files but its
   pipes, killed with its session when the wall clock runs out;
3. limits of the kernel (`child`) on processor time, memory, open files, written bytes, processes.

What code may ask of the world while it runs is granted to it by name: its call is answered by a
function of whoever grants it. `program` runs programs; `learning.model.predicate_sandbox` evaluates
predicates over whole scenes.
"""
