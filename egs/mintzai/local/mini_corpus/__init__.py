"""A small Spanish and Basque corpus in the layout of mintzai-ST: committed text, spoken by espeak-ng."""
