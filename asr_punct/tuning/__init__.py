"""What is fitted to a model on a development corpus after training: calibration, thresholds, penalties, case biases."""
