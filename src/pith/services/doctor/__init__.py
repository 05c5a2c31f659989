"""What can go wrong with what pith keeps: finding it, telling it and repairing it, apart from one another."""
