"""VirtualHome: a household as a graph of things, with the simulator and data of `eai-eval`.

Puig et al., "VirtualHome: simulating household activities via programs", CVPR 2018; the tasks with
goals are those of Li et al., "Embodied agent interface", NeurIPS 2024. There is no geometry and
no time: an action changes the graph at once, or the simulator says why it cannot.
"""
