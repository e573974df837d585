"""What is fitted to a model on a development corpus after training.

Calibration, thresholds and penalties, or class weights; and case biases.
"""
