"""Plans that repair themselves, measured on VirtualHome's tasks: the study of CAPE.

Raman et al., "CAPE: corrective actions from precondition errors using large language models", ICRA
2024. Success is judged twice: by the automaton of the goal on what was observed after every step,
and on the simulator's own graph, which shares nothing with it.
"""
