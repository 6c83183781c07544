//! What is printed without a screen: text, JSON, YAML.
