"""Robots through their makers' own clients (`Actuated` of `sayso.ros.robot.controllers`)."""
