"""`make soak`: `advisor serve` under load, under attack and with faults, for minutes; what is promised, with figures.

service   the service in a process of its own, whose wall clock can be set
asking    requests on connections that stay, and what was answered
traffic   what ordinary clients ask, and the memory meanwhile
hostile   clients that are slow, many, greedy, malformed, or gone
faults    processes lost, hung and hungry; disk, descriptors, clock, signals
"""
