"""Who and what there is in the small town: names, jobs, places, classes of things, weather; symbols only, no words."""

from lab.corpora.town.things import THINGS as THINGS


def each(symbols: str) -> tuple[str, ...]:
    """Symbols that are written in one string."""
    return tuple(symbols.split())


WOMEN = each(
    "anna mary lily rose emma sarah lucy nina clara helen eva julia ruth maya alice nora grace ella limei "
    "wangfang xiaohong zhanglan chenjing linxue olivia sophie laura betty susan linda karen nancy diana irene "
    "monica vera amy judy sandra tina paula hannah zoe leila priya carmen ingrid yoko fatima chloe martha wendy "
    "zhaomin sunyan zhouting wuqian xulili huangying guojia xiaofang gaoyun tangwen"
)
MEN = each(
    "tom peter jack paul david oscar hugo leo max simon omar felix adam ben henry martin victor daniel xiaoming "
    "liwei wanggang zhangjun chenhao linfeng james robert john michael william richard thomas charles george "
    "frank edward brian kevin eric andrew steven philip alex samuel dennis walter carlos ivan ahmed raj kenji "
    "marco stefan zhaolei sunqiang zhoutao wubin xudong huangyong guopeng xiaolong gaojian tangkai"
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
    "dentist": "clinic",
    "butcher": "market",
    "hairdresser": "hair_salon",
    "shop_assistant": "department_store",
    "cashier": "supermarket",
    "pharmacist": "pharmacy",
    "mechanic": "garage",
    "accountant": "town_hall",
    "secretary": "town_hall",
    "programmer": "office",
    "manager": "office",
    "receptionist": "hotel",
    "cleaner": "hotel",
    "pilot": "airport",
    "photographer": "studio",
    "journalist": "newspaper_office",
    "editor": "newspaper_office",
    "professor": "college",
    "scientist": "college",
    "welder": "factory",
    "electrician": "factory",
    "vet": "clinic",
    "lawyer": "court",
    "judge": "court",
    "firefighter": "fire_station",
    "florist": "flower_shop",
    "bookseller": "bookshop",
    "swimming_teacher": "swimming_pool",
    "zookeeper": "zoo",
    "actor": "theatre",
    "dancer": "theatre",
    "shoemaker": "workshop",
    "blacksmith": "workshop",
    "sailor": "harbour",
    "butler": "hotel",
    "priest": "church",
}

PLACES = each(
    "market library park square station post_office bakery museum harbour lake river_bank cafe church bank cinema "
    "school theatre hospital forest bridge supermarket pharmacy town_hall swimming_pool zoo bookshop flower_shop "
    "clinic hair_salon studio college stadium playground beach cemetery pond toy_shop fish_market"
)
OUTDOORS = each(
    "park square harbour lake river_bank forest bridge market farm hill zoo stadium playground beach vineyard pond"
)
NEAR = each(
    "bridge church station lake mill park square forest harbour tower hill river playground cemetery pond zoo "
    "town_hall beach"
)
WORKPLACES = each(
    "bakery cafe library farm restaurant mill post_office workshop supermarket hotel bookshop flower_shop garage "
    "factory vineyard toy_shop"
)
SHOPS = each("market department_store corner_shop fair")
DARK_PLACES = each("attic barn cellar tower")
SPOTS = each(
    "drawer table shelf box cupboard bed sofa windowsill door basket chest piano wardrobe fridge bookcase "
    "mantelpiece toolbox desk mattress carpet suitcase pillow bathroom hallway garage_floor bin flowerpot"
)

HEIRLOOMS = each(
    "ring watch photo book purse camera notebook pen medal map necklace brooch locket diary harmonica compass "
    "binoculars thimble stamp_album bracelet"
)
BOUGHT = each(
    "ring watch book glasses purse camera notebook pen necklace brooch locket binoculars bracelet earrings wallet "
    "headphones tablet"
)
KEPT = (*HEIRLOOMS, "key", "glasses", "wallet", "passport", "remote_control", "recorder")
HUNG = each("raincoat coat jacket scarf cap umbrella fur_hat parka cardigan windbreaker")
PRESENTS = each(
    "kite doll toy_train teapot chess_set painting necklace radio skates globe watch camera scarf harmonica "
    "bracelet earrings headphones teddy_bear puzzle paintbox football scooter vase tie music_box mug aquarium "
    "cookbook microscope telescope encyclopedia ukulele backpack quilt snow_globe marionette bonsai rocking_horse"
)
PETS = each("cat dog rabbit goat hen lamb pony duck goose piglet donkey puppy")
PET_FOOD = {
    "cat": "milk",
    "dog": "meat",
    "rabbit": "carrots",
    "goat": "carrots",
    "hen": "corn",
    "lamb": "milk",
    "kitten": "milk",
    "squirrel": "nuts",
    "pony": "oats",
    "duck": "corn",
    "goose": "oats",
    "piglet": "potatoes",
    "donkey": "hay",
    "puppy": "meat",
}
FISH = each("trout carp pike salmon perch eel catfish")
MACHINES = each(
    "bicycle clock lamp sewing_machine radio camera recorder music_box typewriter washing_machine toaster "
    "vacuum_cleaner television printer fan coffee_machine lawnmower dishwasher record_player projector"
)
TOOLS = each("screwdriver hammer pliers saw wrench drill chisel tweezers soldering_iron file")
LIGHTS = each("torch lantern candle lamp")
INSTRUMENTS = each("violin guitar flute cello drum accordion trumpet clarinet saxophone banjo trombone mandolin oboe")
SICK_FOOD = each(
    "soup porridge noodles dumplings rice stew broth pudding mashed_potatoes omelette apple_sauce spaghetti"
)
CAKES = each("cake apple_pie bread biscuits muffins cheesecake gingerbread plum_tart pretzels carrot_cake brownies")
PICNIC_FOOD = each("sandwiches biscuits apple_pie bread sausages meatballs cherries melon salad rolls")
GOODS = each(
    "apples pears oranges eggs honey cheese baskets candles cups wooden_toys cherries plums potatoes mushrooms "
    "onions plates carpets jam belts brooms walnuts soap pillows postcards"
)
PLANTS = each(
    "tomatoes roses sunflowers cabbages pumpkins strawberries beans potatoes onions tulips cucumbers lettuces "
    "peas radishes peppers melons lilies garlic"
)
BORROWED = each(
    "bicycle camera umbrella radio kite guitar boat skates book tablet recorder scooter cookbook microscope "
    "telescope projector skis sledge racket laptop helmet"
)

INGREDIENTS = each(
    "flour_eggs flour_butter eggs_sugar butter_milk yeast_rye cream_chocolate almonds_cinnamon honey_raisins "
    "lemons_vanilla"
)
SUBJECTS = each(
    "maths history geography music chemistry biology physics literature economics astronomy philosophy grammar"
)
SCENES = each(
    "lake_scene market_scene bridge_scene harbour_scene winter_scene windmill church_autumn two_fishermen "
    "station_night sunflower_vase dancing_girl storm_sea laughing_clown fruit_bowl horses_meadow waterfall "
    "old_queen"
)
FLIGHT_REASONS = each("thunder gate fireworks strange_dog motorbike branch trumpet hawk bees balloon")
RELATIVES_PLACES = each("seaside city mountains island capital coast village border south suburb valley abroad")

# The weather: the seasons in which it occurs and what people then wear.
WEATHER: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rain": (("spring", "summer", "autumn"), ("raincoat", "umbrella", "boots", "wellingtons", "windbreaker")),
    "snow": (("winter",), ("coat", "gloves", "scarf", "boots", "mittens", "earmuffs", "fur_hat", "parka")),
    "cold": (("winter", "autumn"), ("coat", "gloves", "scarf", "sweater", "mittens", "earmuffs", "fur_hat", "parka")),
    "heat": (("summer",), ("straw_hat", "sunglasses", "shirt", "sandals", "shorts")),
    "wind": (("spring", "autumn"), ("jacket", "scarf", "cap", "windbreaker", "cardigan")),
    "fog": (("autumn", "winter"), ("jacket", "coat", "cap", "cardigan", "windbreaker")),
    "sun": (("spring", "summer"), ("straw_hat", "sunglasses", "cap", "sandals", "shorts")),
}
PARTS = ("morning", "afternoon")

ELDERS = each("grandmother grandfather aunt uncle mother father")
KIN_OF_AGE = {
    "child": each("mother father grandmother grandfather aunt uncle"),
    "worker": each("mother father aunt uncle grandmother"),
    "elder": each("daughter son granddaughter grandson"),
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
