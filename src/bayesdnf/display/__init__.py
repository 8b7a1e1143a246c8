"""What people see in terminals and notebooks: escaped texts, progress bars, shared sentences."""
