"""Common household nouns by what they are: what anybody knows of kinds without being told."""

from __future__ import annotations

from collections.abc import Mapping

_TEXT = {
    "food": (
        "apple avocado banana bean bread broccoli butter cabbage cake carrot cereal cheese chicken "
        "chocolate cookie corn cucumber egg fish fruit garlic grape ham honey lemon lettuce meat "
        "mushroom noodle onion orange pasta peach pear pepper pizza potato pumpkin rice salad "
        "sandwich sausage spinach steak strawberry toast tomato vegetable yogurt"
    ),
    "container": "basin basket bin bowl bucket crate cup glass jug mug pan pot tub vase",
    "vessel": "bottle bowl cup glass jug kettle mug pan pot vase",
    "furniture": "bed bench cabinet chair couch cupboard desk drawer shelf sofa stool table",
    "dishes": "bowl cup dish glass mug plate saucer",
    "cutlery": "fork knife ladle spatula spoon",
    "tool": "drill hammer pliers saw screwdriver wrench",
    "toy": "ball block car cube doll plush puzzle",
    "fruit": "apple banana grape lemon orange peach pear strawberry",
    "vegetable": (
        "broccoli cabbage carrot corn cucumber garlic lettuce mushroom onion pepper potato pumpkin "
        "spinach tomato"
    ),
}
KINDS: Mapping[str, tuple[str, ...]] = {k: tuple(v.split()) for k, v in _TEXT.items()}
