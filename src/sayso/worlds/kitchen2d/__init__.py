"""A kitchen in a vertical plane: StoreObjects, SetTable and CookMeal with 2D physics."""
