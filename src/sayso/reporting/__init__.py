"""What people see of a task: events, terminal, report, film."""
