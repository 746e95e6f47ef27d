"""What there is in the small town: names, jobs, places, things, weather; symbols only, no words."""


def _each(symbols: str) -> tuple[str, ...]:
    return tuple(symbols.split())


WOMEN = _each(
    "anna mary lily rose emma sarah lucy nina clara helen eva julia ruth maya alice nora grace ella "
    "limei wangfang xiaohong zhanglan chenjing linxue"
)
MEN = _each(
    "tom peter jack paul david oscar hugo leo max simon omar felix adam ben henry martin victor daniel "
    "xiaoming liwei wanggang zhangjun chenhao linfeng"
)

# Where each job is done.
JOBS = {
    "baker": "bakery",
    "teacher": "school",
    "doctor": "hospital",
    "nurse": "hospital",
    "farmer": "farm",
    "gardener": "park",
    "driver": "station",
    "police_officer": "police_station",
    "letter_carrier": "post_office",
    "carpenter": "workshop",
    "painter": "workshop",
    "musician": "theatre",
    "cook": "restaurant",
    "librarian": "library",
    "tailor": "workshop",
    "clerk": "bank",
    "engineer": "mill",
    "fisher": "harbour",
    "guard": "museum",
    "waiter": "cafe",
}

PLACES = _each(
    "market library park square station post_office bakery museum harbour lake river_bank cafe church bank cinema "
    "school theatre hospital forest bridge"
)
OUTDOORS = _each("park square harbour lake river_bank forest bridge market farm hill")
NEAR = _each("bridge church station lake mill park square forest harbour tower hill river")
WORKPLACES = _each("bakery cafe library farm restaurant mill post_office workshop")
SHOPS = _each("market department_store corner_shop fair")
DARK_PLACES = _each("attic barn cellar tower")
SPOTS = _each("drawer table shelf box cupboard bed sofa windowsill door basket chest piano")

COLOURS = ("red", "blue", "green", "yellow", "white", "black", "light_blue")

# The qualities that each kind of thing may have.
THINGS: dict[str, tuple[str, ...]] = {
    # dear things that a pocket holds
    "ring": ("silver", "gold"),
    "watch": ("silver", "gold"),
    "key": ("old", "small", "silver"),
    "photo": ("old", "small"),
    "book": ("thin", "old", "red"),
    "glasses": ("round", "new"),
    "purse": ("red", "small", "black"),
    "camera": ("new", "small", "black"),
    "notebook": ("blue", "thin", "green"),
    "pen": ("silver", "black", "gold"),
    "medal": ("gold", "silver"),
    "map": ("old", "big"),
    # presents
    "kite": COLOURS,
    "doll": ("small", "beautiful"),
    "toy_train": ("wooden", "red", "small"),
    "teapot": ("white", "blue", "old"),
    "chess_set": ("wooden", "beautiful"),
    "painting": ("small", "beautiful"),
    "necklace": ("silver", "gold"),
    "radio": ("small", "old", "new"),
    "skates": ("white", "new"),
    "globe": ("big", "beautiful"),
    # clothes
    "raincoat": COLOURS,
    "umbrella": COLOURS,
    "boots": ("red", "black", "new", "old"),
    "coat": ("thick", "black", "brown", "warm"),
    "gloves": ("woollen", "red", "warm"),
    "scarf": ("woollen", "red", "green", "warm"),
    "sweater": ("red", "blue", "warm"),
    "straw_hat": ("old", "big", "light"),
    "sunglasses": ("black", "new"),
    "shirt": ("white", "light_blue"),
    "jacket": ("brown", "thick", "blue"),
    "cap": ("brown", "blue", "black"),
    # animals
    "cat": ("black", "white", "grey", "fat"),
    "dog": ("brown", "black", "small", "aged"),
    "rabbit": ("white", "grey", "brown"),
    "goat": ("white", "brown", "small"),
    "hen": ("brown", "white", "fat"),
    "lamb": ("white", "fat"),
    "kitten": ("grey", "black", "white"),
    "squirrel": ("red", "small"),
    "bat": ("small", "black"),
    "trout": ("big", "silver"),
    "carp": ("big", "fat"),
    "pike": ("big", "long"),
    # what breaks and what mends it
    "bicycle": ("red", "old", "green"),
    "clock": ("old", "big"),
    "lamp": ("old", "green"),
    "sewing_machine": ("old", "black"),
    "boat": ("wooden", "small"),
    "screwdriver": ("small", "long"),
    "hammer": ("heavy", "old"),
    "saw": ("long", "sharp"),
    "pliers": ("small", "old"),
    "ladder": ("long", "light"),
    # light
    "torch": ("small", "new"),
    "lantern": ("old", "red"),
    "candle": ("long", "white"),
    # sport and music
    "baseball_bat": ("wooden", "old"),
    "spare_bat": ("light", "new"),
    "rod": ("long", "old", "new"),
    "violin": ("old", "new"),
    "guitar": ("old", "new"),
    "flute": ("silver", "old"),
    "cello": ("old", "brown"),
    "drum": ("big", "red"),
    "accordion": ("old", "red"),
    # dishes
    "soup": ("hot", ""),
    "porridge": ("hot", ""),
    "noodles": ("hot", ""),
    "dumplings": ("hot", ""),
    "rice": ("hot", ""),
    "cake": ("round", "big"),
    "apple_pie": ("big", "round"),
    "bread": ("fresh", ""),
    "biscuits": ("sweet", ""),
    "sandwiches": ("fresh", ""),
    "milk": ("warm_liquid", "fresh"),
    "meat": ("fresh", ""),
    "carrots": ("fresh", ""),
    "corn": (),
    "nuts": (),
    # goods
    "apples": ("red", "sweet", "fresh"),
    "pears": ("sweet", "yellow", "fresh"),
    "oranges": ("sweet", "fresh"),
    "eggs": ("brown", "fresh", "white"),
    "honey": ("fresh", "sweet"),
    "cheese": ("fresh", "white"),
    "baskets": ("brown", "light", "beautiful"),
    "candles": ("white", "red", "long"),
    "cups": ("blue", "white", "beautiful"),
    "wooden_toys": ("red", "small", "beautiful"),
    # plants
    "tomatoes": (),
    "roses": ("red", "white", "yellow"),
    "sunflowers": (),
    "cabbages": (),
    "pumpkins": (),
    "strawberries": (),
    "beans": (),
    # papers
    "letter": ("long", "short"),
    "ticket": (),
    "bag": ("light", "heavy", "big"),
}

HEIRLOOMS = _each("ring watch photo book purse camera notebook pen medal map necklace")
BOUGHT = _each("ring watch book glasses purse camera notebook pen necklace")
KEPT = (*HEIRLOOMS, "key", "glasses")
HUNG = _each("raincoat coat jacket scarf cap umbrella")
PRESENTS = _each("kite doll toy_train teapot chess_set painting necklace radio skates globe watch camera scarf")
PETS = _each("cat dog rabbit goat hen lamb")
PET_FOOD = {
    "cat": "milk",
    "dog": "meat",
    "rabbit": "carrots",
    "goat": "carrots",
    "hen": "corn",
    "lamb": "milk",
    "kitten": "milk",
    "squirrel": "nuts",
}
FISH = _each("trout carp pike")
MACHINES = _each("bicycle clock lamp sewing_machine radio camera")
TOOLS = _each("screwdriver hammer pliers saw")
LIGHTS = _each("torch lantern candle lamp")
INSTRUMENTS = _each("violin guitar flute cello drum accordion")
SICK_FOOD = _each("soup porridge noodles dumplings rice")
CAKES = _each("cake apple_pie bread biscuits")
PICNIC_FOOD = _each("sandwiches biscuits apple_pie bread")
GOODS = _each("apples pears oranges eggs honey cheese baskets candles cups wooden_toys")
PLANTS = _each("tomatoes roses sunflowers cabbages pumpkins strawberries beans")
BORROWED = _each("bicycle camera umbrella radio kite guitar boat skates book")

INGREDIENTS = _each("flour_eggs flour_butter eggs_sugar butter_milk")
SUBJECTS = _each("maths history geography music chemistry biology")
SCENES = _each("lake_scene market_scene bridge_scene harbour_scene winter_scene")
FLIGHT_REASONS = _each("thunder gate fireworks strange_dog")
RELATIVES_PLACES = _each("seaside city mountains island")

# The weather: the seasons in which it occurs and what people then wear.
WEATHER: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rain": (("spring", "summer", "autumn"), ("raincoat", "umbrella", "boots")),
    "snow": (("winter",), ("coat", "gloves", "scarf", "boots")),
    "cold": (("winter", "autumn"), ("coat", "gloves", "scarf", "sweater")),
    "heat": (("summer",), ("straw_hat", "sunglasses", "shirt")),
    "wind": (("spring", "autumn"), ("jacket", "scarf", "cap")),
    "fog": (("autumn", "winter"), ("jacket", "coat", "cap")),
    "sun": (("spring", "summer"), ("straw_hat", "sunglasses", "cap")),
}
PARTS = ("morning", "afternoon")

ELDERS = _each("grandmother grandfather aunt uncle mother father")
KIN_OF_AGE = {
    "child": _each("mother father grandmother grandfather aunt uncle"),
    "worker": _each("mother father aunt uncle grandmother"),
    "elder": _each("daughter son granddaughter grandson"),
}
GENDER_OF_KIN = {
    "mother": "f",
    "father": "m",
    "grandmother": "f",
    "grandfather": "m",
    "aunt": "f",
    "uncle": "m",
    "daughter": "f",
    "son": "m",
    "granddaughter": "f",
    "grandson": "m",
}
# Ties to people who are called by name: the tie for a woman, the tie for a man.
SIBLINGS = (("sister", "brother"), ("cousin", "cousin"))
FRIENDS = (("friend", "friend"), ("neighbour", "neighbour"), ("friend", "friend"), ("sister", "brother"))
STRANGER = (("stranger", "stranger"),)
