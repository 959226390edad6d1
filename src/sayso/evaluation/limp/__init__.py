"""LIMP's instructions, planned and carried out in generated flats, judged by what came about."""
