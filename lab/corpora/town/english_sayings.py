"""How English tells each event of the small town: several sayings for each, with gaps for the roles.

Happy and sad outcomes share many words on purpose, some of them negated: a reader must mind the sentence, not only
its words, to know how a story ends.
"""

SAYINGS: dict[str, tuple[str, ...]] = {
    # who it is about
    "child": (
        "{who} was {who:age} years old and lived near {near}.",
        "{who} was {who:aged} and went to the school in the small town.",
        "In a house near {near} lived {who:aged} named {who:name}.",
        "{who} had just turned {who:age} and knew every street of the small town.",
    ),
    "worker": (
        "{who} was {who:job} {where:at}.",
        "{who}, {who:aged}, lived in a flat near {near}.",
        "For {years} years {who} had been {who:job} in the small town.",
        "Everybody {where:at} knew {who}, {who:aged}.",
        "{who} worked {where:at} as {who:job}.",
    ),
    "elder": (
        "{who} was {who:age} years old and lived alone near {near}.",
        "{who} had been {who:job} for {years} years and now had plenty of time.",
        "Old {who:name}, who had once been {who:job}, lived near {near}.",
    ),
    "cheerful": (
        "{who} liked to laugh and had many friends.",
        "{who} was seldom in a bad mood.",
        "People said that {who} was as cheerful as a spring morning.",
        "{who} never complained for long.",
    ),
    "gloomy": (
        "{who} did not laugh much and had few friends.",
        "{who} was seldom in a good mood.",
        "People said that {who} was as gloomy as a rainy Monday.",
        "{who} found it hard to trust {who:his} luck.",
    ),
    # weather
    "rain": (
        "One {season} {part} it was raining hard.",
        "One {season} {part} dark clouds hung over the roofs, and soon the rain came down.",
        "One wet {season} {part} the streets were full of puddles.",
    ),
    "snow": (
        "One {season} {part} thick snow lay on the roofs.",
        "One {season} {part} it was snowing, and the streets were white and quiet.",
        "It had snowed all night, and that {season} {part} the cars stood still.",
    ),
    "cold": (
        "One {season} {part} it was so cold that the windows froze.",
        "One {season} {part} a cold wind blew from the north.",
        "It was a clear and bitterly cold {season} {part}.",
    ),
    "heat": (
        "One {season} {part} it was so hot that even the dogs lay in the shade.",
        "One hot {season} {part} there was not a cloud in the sky.",
        "That {season} {part} the town was as hot as an oven.",
    ),
    "wind": (
        "One {season} {part} a strong wind shook the trees.",
        "One windy {season} {part} leaves and newspapers flew through the streets.",
        "It was a stormy {season} {part}, and doors were banging everywhere.",
    ),
    "fog": (
        "One {season} {part} the fog was so thick that nobody could see the church tower.",
        "One {season} {part} a grey fog rose from the river.",
        "It was a foggy {season} {part}, and the street lights were still on.",
    ),
    "sun": (
        "One {season} {part} the sun was shining.",
        "One bright {season} {part} the sky was blue and birds were singing.",
        "It was a sunny {season} {part}, and people sat in front of their houses.",
    ),
    "rain_now": ("it was raining hard.", "the rain was pouring down.", "it rained cats and dogs."),
    "snow_now": ("it was snowing.", "snow was falling in thick flakes.", "the snow lay knee-deep."),
    "cold_now": ("it was freezing.", "it was icy cold.", "a bitter cold had set in."),
    "heat_now": ("it was terribly hot.", "the heat made the air shimmer.", "the sun burnt down from the sky."),
    "wind_now": ("a strong wind was blowing.", "the wind howled round the houses.", "the wind shook the trees."),
    "fog_now": ("the fog was as thick as milk.", "thick fog had come up.", "nothing could be seen for fog."),
    "sun_now": ("the sun was shining.", "the sky was blue and clear.", "it was warm and sunny."),
    "put_on": (
        "{who} put on {what:obj} because of {why}.",
        "Because of {why}, {who} did not leave the house without {what:obj}.",
        "{who} wore {what:obj} against {why}.",
    ),
    "open_umbrella": (
        "{who} opened {what:obj} and stepped into the street.",
        "{who} took {what:obj} along because of {why}.",
        "Because of {why}, {who} did not leave the house without {what:obj}.",
    ),
    "hang_up": (
        "{who} hung {what:obj} on the hook by the door.",
        "{who} put {what:obj} back on the hook.",
        "{what} hung on the hook by the door again.",
    ),
    # how it feels on the way
    "worry": (
        "{who} began to worry.",
        "{who} was worried and could not sit still.",
        "{who} could not think of anything else.",
        "{who} did not feel at ease.",
    ),
    "sadness": (
        "{who} was close to tears.",
        "{who} felt sad and sat down on a bench.",
        "{who} could not help crying.",
        "{who} was not in the mood to sing.",
    ),
    "anger": (
        "{who} was so angry that {who:he} kicked a stone.",
        "{who} could not hide {who:his} anger.",
        "{who} lost {who:his} temper.",
    ),
    "fear": (
        "{who} was afraid that everything would go wrong.",
        "{who} felt {who:his} heart beat fast.",
        "{who} feared the worst.",
    ),
    "tiredness": (
        "{who} was tired and wanted to give up.",
        "{who} sighed and rubbed {who:his} eyes.",
        "{who} felt too weary to go on.",
    ),
    "hope": (
        "{who} did not give up hope.",
        "{who} told {who:himself} that all would be well.",
        "{who} still believed in a happy end.",
    ),
    "trust": (
        "{who} stayed calm and smiled.",
        "{who} was not worried at all.",
        "{who} whistled a merry tune.",
        "{who} was sure that luck was on {who:his} side.",
    ),
    # shared
    "put": (
        "{who} put {what:obj} {spot:at}.",
        "{who} laid {what:obj} {spot:at} and locked the house.",
        "before {who:he} left the house, {who} put {what:obj} {spot:at}.",
    ),
    "errand": (
        "{who} went {where:errand}.",
        "{who} set off {where:errand}.",
        "{who} left home and walked {where:errand}.",
    ),
    "feed": (
        "{who} took {what:obj} home and gave {what:them} {food:obj}.",
        "at home {who} fed {what:obj} with {food:obj}.",
        "{what} sat by the stove and ate {food:obj} that {who} had brought.",
    ),
    # a dear thing is mislaid
    "treasure": (
        "{who} owned {what:a}, a present from {whom:obj}.",
        "{who} took good care of {what:a} that {whom} had given {who:him}.",
        "{whom} had once given {who:obj} {what:a}, and it was a treasure.",
    ),
    "miss": (
        "{who} wanted to look at {what:obj} but could not remember where {what:they} {what:was}.",
        "{who} looked for {what:obj} in vain.",
        "{who} needed {what:obj}, but {what:they} {what:was} not in the usual place.",
    ),
    "look": (
        "{who} looked {spot:at}, but {what} {what:was} not there.",
        "{spot:at} {who} found nothing but dust.",
        "{who} searched {spot:at}, but there was no trace of {what:obj}.",
    ),
    "recall": (
        "{who} remembered {spot:the}.",
        "{who} recalled what {who:he} had done that day.",
        "a picture came back to {who:obj}: {spot:the}.",
    ),
    "find_at": (
        "{who} found {what:obj} {spot:at}.",
        "{what} {what:was} {spot:at}, safe and sound.",
        "{who} looked {spot:at}, and there {what:they} {what:was}.",
        "{what} {what:was} not lost at all but lay {spot:at}.",
    ),
    "admit_loss": (
        "{whom} had borrowed {what:obj} without a word and lost {what:them} {where:at}.",
        "{whom} admitted that {what} {what:was} not in the house any more but lost {where:at}.",
        "it turned out that {whom} had taken {what:obj} {where:to} and had not found {what:them} again.",
    ),
    "tidy": (
        "{whom} tidied the room and put {what:obj} {spot:at}.",
        "{whom} came by, cleaned the house and moved {what:obj}: now {what:they} {what:was} {spot:at}.",
    ),
    "reveal": (
        "{whom} came in and told {who:obj} to look {spot:at}.",
        "{whom} laughed and pointed to {spot:the}.",
        "{whom} knew where {what} {what:was}.",
    ),
    "quarrel": (
        "{who} blamed {whom:obj} for the loss, and they did not speak for weeks.",
        "{who} shouted at {whom:obj} and never found out where {what} {what:was}.",
        "{who} called {whom:obj} a thief, and {whom} left without telling where {what} {what:was}.",
    ),
    # something is dropped on the way
    "save_for": (
        "{who} had saved for months to buy {what:a}.",
        "{who} was proud of {what:a} that {who:he} had bought with {who:his} own money.",
        "after a year of saving, {who} had at last been able to buy {what:a}.",
    ),
    "carry": (
        "{who} took {what:obj} along and went {where:errand}.",
        "{who} went {where:errand} and had {what:obj} in {who:his} pocket.",
        "with {what:obj} in {who:his} bag, {who} walked {where:errand}.",
    ),
    "gone": (
        "{who} noticed that {what} {what:was} gone.",
        "{who} reached into {who:his} pocket, but {what} {what:was} not there.",
        "{who} felt in {who:his} pocket and did not find {what:obj}.",
    ),
    "search_way": (
        "{who} went back {where:to} and looked under every bench.",
        "{who} searched the whole way {where:to} and back.",
        "{who} hurried back {where:to} and asked everyone about {what:obj}.",
    ),
    "bring_back": (
        "{whom} had found {what:obj} {where:at} and brought {what:them} back.",
        "{whom} came up to {who:obj} with {what:obj} in {whom:his} hand.",
        "{whom} rang at the door: {what} had not been lost for good.",
    ),
    "never_found": (
        "{who} never found {what:obj} again.",
        "nobody had found {what:obj}, and nobody brought {what:them} back.",
        "{who} had to go home without {what:obj}.",
        "{what} {what:was} lost for good.",
    ),
    # a pet runs away
    "keep_pet": (
        "{who} had {what:a} that followed {who:him} everywhere.",
        "{who} shared {who:his} home with {what:a}.",
        "{what:a} lived in {who:poss} garden and liked to sit beside {who:him}.",
    ),
    "flee": (
        "{what} ran away {why}.",
        "{what} jumped over the fence and ran off {why}.",
        "{why}, {what} ran into the street and was gone.",
    ),
    "call": (
        "{who} went {where:to} and called, but nothing moved.",
        "{who} called for {what:obj} {where:at} until {who:his} voice was hoarse.",
        "{who} looked for {what:obj} behind every bush {where:at}.",
    ),
    "join": (
        "{whom} came along and helped with the search.",
        "{whom} put up notices with a picture of {what:obj}.",
        "{whom} brought a torch and helped {who:obj} to search.",
    ),
    "hear_pet": (
        "{who} heard a soft noise {where:at}: {what} {what:was} there.",
        "{who} saw {what:obj} {where:at}, hungry but not hurt.",
        "{who} found {what:obj} {where:at}, asleep and safe.",
    ),
    "stay_away": (
        "{who} searched until midnight and did not find {what:obj}.",
        "the bowl stayed full, because {what} did not come home.",
        "{who} left the door open all night, but nobody ever saw {what:obj} again.",
    ),
    # a present
    "birthday": (
        "{whom:poss} birthday was only two weeks away.",
        "soon {whom} would have {whom:his} birthday.",
        "it was nearly time for {whom:poss} birthday party.",
    ),
    "want_to_give": (
        "{who} wanted to give {whom:obj} {what:a}.",
        "{who} looked for a present and saw {what:a} in a shop window.",
        "{who} knew that {whom} wished for {what:a}.",
    ),
    "too_dear": (
        "{what} cost more than {who} had.",
        "{who} counted {who:his} coins, and there were not enough for {what:obj}.",
        "{who} could not pay for {what:obj}.",
    ),
    "ask_bank": (
        "{who} went to the bank and asked for a small loan.",
        "{who} asked the bank to lend {who:him} some money.",
        "{who} waited in a long queue at the bank to speak about a loan.",
    ),
    "bank_lends": (
        "the bank lent {who:obj} the money.",
        "the man at the bank signed the paper and counted the notes.",
        "the bank did not refuse the loan.",
    ),
    "bank_refuses": (
        "the bank did not lend {who:obj} the money.",
        "the man at the bank did not sign the paper.",
        "the bank refused the loan.",
    ),
    "empty_hands": (
        "{who} came to {whom:poss} party without a present.",
        "{who} stood before {whom:obj} with empty hands.",
        "there was no present for {whom:obj} from {who:obj}.",
    ),
    "earn": (
        "{who} helped {where:at} for two weeks to earn the money.",
        "{who} swept the floor {where:at} every evening and saved each coin.",
        "{who} spent every free hour at work {where:at} and was paid a little.",
    ),
    "buy": (
        "{who} bought {what:obj} {where:at}.",
        "{who} went {where:to} and paid for {what:obj}.",
        "{who} carried the money {where:to} and came back with {what:obj}.",
    ),
    "give": (
        "{who} gave {what:obj} to {whom:obj}, and {whom} could not stop smiling.",
        "{who} wrapped {what:obj} in paper and handed {what:them} to {whom:obj}.",
        "{whom} opened the parcel from {who:obj} and saw {what:obj}.",
    ),
    "sold_out": (
        "when {who} came {where:to} with the money, somebody else had bought {what:obj}.",
        "{what} {what:was} no longer {where:at} when {who} wanted to pay.",
        "{where:at} they told {who:obj} that {what} {what:was} sold.",
    ),
    # fishing
    "sit_on_bank": (
        "{who} sat on the bank of the river with {tool:obj}.",
        "{who} took {tool:obj} and looked for a dry place on the bank.",
        "down at the river, {who} stood on the grassy bank and held {tool:obj}.",
    ),
    "no_bite": (
        "for three hours no fish took the bait.",
        "the water was still, and {who:poss} bucket stayed empty.",
        "{who} watched the water, and nothing moved.",
    ),
    "catch": (
        "{tool} bent like a bow, and {who} pulled {what:a} out of the water.",
        "{what:a} took the bait, and the line did not break.",
        "{who} felt a pull and caught {what:a}.",
    ),
    "fry": (
        "{who} fried {what:obj} in butter and shared {what:them} with {whom:obj}.",
        "{who} invited {whom:obj}, and together they ate {what:obj}.",
        "{who} and {whom} sat round the fire and ate {what:obj} with bread.",
    ),
    "line_breaks": (
        "{tool} bent like a bow, and {what:a} broke the line.",
        "{what:a} took the bait, pulled {tool:obj} into the water and was gone.",
        "{who} felt a pull, but the line broke and {what:a} swam away.",
    ),
    # the match
    "on_the_team": (
        "{who} played baseball {where:at} every Saturday.",
        "{who} had joined the baseball team that met {where:at}.",
        "{who} loved baseball more than anything and never missed a game {where:at}.",
    ),
    "swing": (
        "{who} swung {tool:obj} every evening until {who:his} arms hurt.",
        "{who} practised with {tool:obj} in the yard.",
        "{who} took {tool:obj} out after supper and hit a hundred balls.",
    ),
    "behind": (
        "in the big match, {who:poss} team was soon behind.",
        "the town played a match against the city, and after an hour the city was ahead.",
        "{who:poss} team played an important match and lost point after point.",
    ),
    "crack": (
        "{tool} cracked with a loud noise.",
        "{who} hit the ball so hard that {tool} broke in two.",
        "{tool} broke in {who:poss} hands.",
    ),
    "lend_bat": (
        "{whom} lent {who:obj} {what:a}.",
        "{whom} ran home and brought {what:a} for {who:obj}.",
        "{whom} handed {who:obj} {what:a} over the fence.",
    ),
    "win_match": (
        "{who} did not miss the last ball, and {who:his} team won the match.",
        "{who} hit the last ball over the wall: the match was won.",
        "{who:poss} team did not lose the match after all.",
    ),
    "lose_match": (
        "{who} missed the last ball, and {who:his} team lost the match.",
        "{who} did not hit the last ball: the match was lost.",
        "{who:poss} team did not win the match after all.",
    ),
    # the bat in the dark
    "noise": (
        "{who} heard a strange noise {where:at}.",
        "something was scratching {where:at}, and {who} could not sleep.",
        "late in the evening, {who} heard wings beating {where:at}.",
    ),
    "take_light": (
        "{who} took {tool:obj} and went {where:to}.",
        "{who} fetched {tool:obj}, for there was no light {where:at}.",
        "with {tool:obj} in {who:his} hand, {who} opened the door and looked round {where:at}.",
    ),
    "see_bat": (
        "{what:a} flew past {who:poss} head.",
        "in the weak light {who} saw {what:a} that hung from a beam.",
        "{what:a} spread its wings in the light.",
    ),
    "free_bat": (
        "{who} opened a window {where:at}, and {what} flew out into the night.",
        "{who} held still until {what} found its way out.",
        "{who} caught {what:obj} in a cloth and set it free without hurting it.",
    ),
    "bat_useful": (
        "{what} came back to eat the flies round {who:poss} house.",
        "{what} hunted over {who:poss} garden, and there were fewer flies than ever.",
    ),
    "drop_light": (
        "{who} dropped {tool:obj}, and everything went dark.",
        "{tool} fell from {who:poss} hand and went out.",
        "{who} jumped, and {tool} fell to the floor and broke.",
    ),
    "stumble_dark": (
        "{who} missed a step {where:at} and hurt {who:his} knee.",
        "{who} fell in the dark {where:at} and could not get up.",
        "{who} did not find {who:his} way out and hit {who:his} head {where:at}.",
    ),
    # food for the sick
    "ill": (
        "{whom} had a bad cold and lay in bed.",
        "{whom} caught a cold and did not get up.",
        "{whom} was ill and could not leave the bed.",
    ),
    "cook": (
        "{who} cooked {food:obj} for {whom:obj}.",
        "{who} stood in the kitchen for hours and made {food:obj}.",
        "{who} made {food:obj} and wanted to take {food:them} to {whom:obj}.",
    ),
    "nearly_drop": (
        "{who} slipped on the bridge but did not spill anything.",
        "{who} stumbled and nearly dropped {food:obj}.",
        "{who} slipped on the wet stones and held {food:obj} tight.",
    ),
    "eat_up": (
        "{whom} ate {food:obj} and asked for more.",
        "{whom} sat up in bed and left nothing of {food:obj}.",
        "{who} watched {whom:obj} eat {food:obj}, and nothing was left.",
    ),
    "recover": (
        "{whom} was well again and got up.",
        "the fever was gone, and {whom} could leave the bed.",
        "{whom} was no longer ill.",
    ),
    "spill": (
        "{who} slipped on the bridge and spilled {food:obj}.",
        "{who} stumbled and dropped {food:obj}, and nothing was left.",
        "{who} slipped on the wet stones and did not hold {food:obj} tight enough.",
    ),
    "worse": (
        "{whom} had a high fever, and {who} called the hospital.",
        "{whom} was no better and could not get up.",
        "the fever did not go, and {whom} asked for {who:obj}.",
    ),
    # a machine stops
    "break_down": (
        "{what} stopped working.",
        "{who} found that {what} did not work any more.",
        "something was wrong with {what:obj}.",
    ),
    "take_apart": (
        "{who} took {what:obj} apart but did not find the fault.",
        "{who} laid the parts of {what:obj} on the table and looked at each of them.",
        "{who} cleaned every part of {what:obj}, but that did not help.",
    ),
    "borrow_tool": (
        "{who} borrowed {tool:a} from {whom:obj}.",
        "{whom} lent {who:obj} {tool:a}.",
        "{who} asked {whom:obj} for {tool:a} and got what {who:he} needed.",
    ),
    "mend": (
        "{who} found the fault, and {what} worked again.",
        "with {tool:the}, {who} put {what:obj} together, and no part was left over.",
        "{who} repaired {what:obj}, which had never run better.",
        "{what} was not broken any more.",
    ),
    "ruin": (
        "{who} did not find the fault, and {what} never worked again.",
        "with {tool:the}, {who} put {what:obj} together, but one part was left over and nothing moved.",
        "{who} could not repair {what:obj}, and the parts went into a box.",
        "{what} was more broken than before.",
    ),
    "return_tool": (
        "{who} brought {tool:obj} back to {whom:obj} and stayed for tea.",
        "{who} gave {tool:obj} back, and {whom} was glad to hear the news.",
    ),
    # the concert
    "invited": (
        "{who} was to play {what:the} {where:at} on Sunday.",
        "{who} had promised to play {what:the} at a concert {where:at}.",
        "there was to be a concert {where:at}, and {who} was asked to play {what:the}.",
    ),
    "rehearse": (
        "{who} practised until {who:his} fingers hurt.",
        "{who} took out {what:the} every evening and played the same piece.",
        "{who} played {what:the} from morning till night.",
    ),
    "forbid": (
        "{whom} knocked on the wall because of the noise.",
        "{whom} complained about the noise.",
    ),
    "stage_fright": (
        "{who:poss} hands were shaking as the lights {where:at} went down.",
        "there was not an empty seat {where:at}, and {who} felt cold and hot by turns.",
        "people were waiting {where:at}, and {who} could not remember the first note.",
    ),
    "encourage": (
        "{whom} squeezed {who:poss} hand.",
        "{whom} waved to {who:obj} from the first row.",
    ),
    "applause": (
        "not one wrong note was heard from {what:the}, and the hall clapped for a long time.",
        "{who} played {what:the} to the end, and people stood up and clapped.",
        "{who} did not forget a single note, and nobody left before the end.",
    ),
    "wrong_notes": (
        "one wrong note after another was heard from {what:the}, and hardly anybody clapped.",
        "{who} did not play {what:the} to the end, and people stood up and left.",
        "{who} forgot the notes, and nobody clapped for a long time.",
    ),
    # the exam
    "exam_comes": (
        "{who} had a {subject} exam on Friday.",
        "at school there was to be an exam in {subject}, and {who} did not like {subject}.",
        "{who} was not good at {subject}, but an exam was coming.",
    ),
    "study": (
        "{who} studied {subject} every night by the light of {tool:obj}.",
        "{who} lit {tool:obj} and read the {subject} book from the first page to the last.",
        "{who} stayed up late and wrote everything about {subject} on small cards.",
    ),
    "oversleep": (
        "{who} overslept and ran to school without breakfast.",
        "{who} woke up late and came into the room last of all.",
    ),
    "forget_glasses": (
        "{who} left {who:his} glasses at home and could hardly read the questions.",
        "{who} had forgotten {who:his} glasses, and every letter on the page looked like a fly.",
    ),
    "hard_question": (
        "{who} did not understand the first question.",
        "the first question was so hard that {who} left the page empty for an hour.",
    ),
    "calm_down": (
        "{who} closed {who:his} eyes and counted to ten.",
        "{who} took a deep breath and began to write.",
    ),
    "pass_exam": (
        "{who} heard that {who:he} had passed and not failed.",
        "the teacher read out the names, and {who} had passed.",
        "the {subject} teacher gave {who:obj} the best mark, and nobody had expected that.",
    ),
    "fail_exam": (
        "{who} heard that {who:he} had failed and not passed.",
        "the teacher read out the names of those who had passed, and {who} was not among them.",
        "the {subject} teacher gave {who:obj} a mark that nobody had expected, the worst of all.",
    ),
    # the race
    "enter_race": (
        "{who} wanted to run in the big race {where:at}.",
        "every year there was a race {where:at}, and {who} put {who:his} name on the list.",
        "{who} had never won a race and dreamt of the one {where:at}.",
    ),
    "train_run": (
        "{who} ran ten miles a day with {whom:obj}.",
        "{whom} held the watch while {who} ran.",
        "{who} got up at five o'clock every day and ran with {whom:obj}.",
    ),
    "trip_up": (
        "{who} tripped over a root {where:at} and fell.",
        "{who} lost a shoe {where:at} and fell behind.",
        "somebody pushed {who:obj} {where:at}, and the others ran past.",
    ),
    "win_race": (
        "{who} ran past all the others and won {what:a}.",
        "{who} was not the last but the first, and got {what:a}.",
        "nobody could catch {who:obj}, and {what:a} was {who:his} prize.",
    ),
    "last_in_race": (
        "all the others ran past {who:obj}, and {what:a} went to somebody else.",
        "{who} was not the first but the last, and did not get {what:a}.",
        "{who} could not catch anybody, and somebody else won {what:a}.",
    ),
    # baking
    "plan_to_bake": (
        "{whom} was coming to visit, and {who} wanted to bake {food:obj}.",
        "{who} had invited {whom:obj} and planned to bake {food:obj}.",
        "{who} had promised {whom:obj} {food:obj}.",
    ),
    "buy_ingredients": (
        "{who} bought {ingredients} {where:at}.",
        "{who} went {where:to} and came home with {ingredients}.",
        "{who} needed {ingredients} and bought some {where:at}.",
    ),
    "light_oven": (
        "{who} struck a match and lit the oven.",
        "{who} mixed everything in a bowl and lit the oven with a match.",
        "{who} put on an apron and lit the oven.",
    ),
    "burn_first": (
        "{who} forgot the time, and {food} {food:was} black.",
        "smoke filled the kitchen, because {food} {food:was} burning.",
        "{who} opened the oven too late: {food} {food:was} as black as coal.",
    ),
    "bake_again": (
        "{who} began again, and this time {food} {food:was} golden brown.",
        "{who} tried a second time and did not leave the kitchen for a minute.",
        "{who} baked {food:obj} a second time, and nothing burnt.",
    ),
    "guest_eats": (
        "{whom} ate {food:obj}, and not a crumb was left.",
        "{whom} came, tasted {food:obj} and wanted nothing else.",
        "{whom} said that {food} {food:was} not bad at all and ate everything.",
    ),
    "spoil_again": (
        "{who} baked {food:obj} a second time, and everything burnt.",
        "{who} tried a second time and left the kitchen for a minute too long.",
        "{who} began again, and this time {food} {food:was} full of salt.",
    ),
    "guest_hungry": (
        "{whom} came, and there was nothing to eat.",
        "{whom} tasted a crumb and left everything else.",
        "{whom} said that it was not bad at all but ate nothing.",
    ),
    # the journey
    "plan_visit": (
        "{whom} lived {far:at}, and {who} planned a visit.",
        "{who} wanted to travel {far:to} to see {whom:obj}.",
        "{who} had not seen {whom:obj}, who lived {far:at}, for a year.",
    ),
    "pack": (
        "{who} packed {what:a} and went to the station.",
        "{who} carried {what:a} to the station.",
        "with {what:a} on {who:his} back, {who} walked to the station.",
    ),
    "train_late": (
        "the train was {hours} hours late.",
        "there was no train for {hours} hours, and {who} sat on the platform.",
        "{who} had to wait {hours} hours for the train.",
    ),
    "arrive": (
        "{who} arrived, and {whom} was waiting on the platform with flowers.",
        "the train came after all and took {who:obj} to {whom:obj}.",
        "{who} was not too late: {whom} stood at the door and waved.",
    ),
    "lose_ticket": (
        "{who} felt in {who:his} pocket, and {what} {what:was} gone.",
        "{who} could not find {what:obj}.",
        "the wind blew {what:obj} out of {who:poss} hand.",
    ),
    "turn_back": (
        "{who} never arrived, and {whom} was waiting on the platform in vain.",
        "the train left without {who:obj}, and {whom} waited for nothing.",
        "{who} had to turn back and did not see {whom:obj}.",
    ),
    # the market stall
    "bring_goods": (
        "{who} brought {what:a} {where:to} to sell {what:them}.",
        "{who} put up a table {where:at} and laid out {what:a}.",
        "{who} had a cart with {what:a} {where:at} and hoped to sell everything.",
    ),
    "sudden_rain": (
        "a heavy shower drove the people away.",
        "it began to rain {where:at}, and people ran under the roofs.",
    ),
    "empty_stalls": (
        "hardly anybody was {where:at} that day.",
        "{where:at} people walked past and bought nothing.",
    ),
    "call_out": (
        "{who} called out the price of {what:obj} again and again.",
        "{who} made {what:obj} cheaper.",
        "{who} let people look at {what:obj} for nothing.",
    ),
    "sell_all": (
        "{whom} bought {what:obj}, and {who} had nothing left to carry home.",
        "{whom} looked at {what:obj} and paid for everything.",
        "{whom} did not walk past but took all of {what:obj}.",
    ),
    "pay_in": (
        "{who} took the money to the bank.",
        "{who} paid the money in at the bank before it closed.",
    ),
    "sell_nothing": (
        "nobody bought {what:obj}, and {who} had to carry everything home.",
        "everybody looked at {what:obj}, and nobody paid for anything.",
        "{who} had not sold one piece when the bell of the church rang seven.",
    ),
    # the garden
    "plant": (
        "in spring {who} planted {what:a} behind the house.",
        "{who} dug the garden in spring and planted {what:a}.",
        "in early spring {who} sowed {what:a} along the wall.",
    ),
    "no_rain": (
        "no rain fell for weeks.",
        "the summer was dry, and the well was empty.",
        "the earth was as hard as stone.",
    ),
    "water": (
        "{who} carried water from the spring in the forest.",
        "{who} fetched a bucket of water for {what:obj} from the spring every morning.",
        "{who} watered {what:obj} twice a day with cold water from the spring.",
    ),
    "weeds": (
        "{who} pulled up the weeds round {what:obj}.",
        "weeds grew between {what:obj}, and {who} spent days on {who:his} knees.",
    ),
    "storm_warning": (
        "a storm was coming, and {who} covered {what:obj} with a cloth.",
        "{who} heard the thunder and tied {what:obj} to sticks.",
    ),
    "harvest": (
        "{what} grew well, and {who} filled a large basket.",
        "{what} did not die but grew better than ever.",
        "{who} had more of {what:obj} than the basket could hold.",
    ),
    "wither": (
        "{what} did not grow well, and {who:poss} basket stayed empty.",
        "{what} grew no better than before and died.",
        "{who} had nothing to put in the large basket, for {what} {what:was} dead.",
    ),
    # a borrowed thing
    "borrow": (
        "{who} borrowed {what:obj} for the weekend.",
        "{whom} lent {who:obj} {what:own}.",
    ),
    "damage": (
        "{who} fell, and {what} broke.",
        "{what} slipped out of {who:poss} hands and broke.",
        "{who} was not careful with {what:obj}, and something cracked.",
    ),
    "hide_it": (
        "{who} hid {what:obj} {spot:at}.",
        "{who} did not want anybody to see {what:obj} and put {what:them} {spot:at}.",
    ),
    "own_up": (
        "{who} went to {whom:obj} and told the truth about {what:obj}.",
        "{who} told {whom:obj} everything.",
        "{who} knocked at {whom:poss} door with {what:obj} under {who:his} arm.",
    ),
    "forgive": (
        "{whom} was not angry and forgave {who:obj}.",
        "{whom} took {who:poss} hand, and they stayed friends.",
        '"it is only a thing," said {whom:name}.',
        "{whom} said that it did not matter.",
    ),
    "no_forgiveness": (
        "{whom} was angry and did not forgive {who:obj}.",
        "{whom} did not take {who:poss} hand, and they were friends no longer.",
        '"it is not only a thing," said {whom:name}.',
        "{whom} said that it did matter.",
    ),
    # a letter
    "write": (
        "{who} sat down and wrote {what:a} to {whom:obj}.",
        "{who} missed {whom:obj} and wrote {what:a}.",
        "it took {who:obj} a whole evening to write {what:a} to {whom:obj}.",
    ),
    "post": (
        "{who} took {what:obj} to the post office.",
        "{who} put a stamp on {what:obj} and dropped {what:them} into the red box.",
        "{who} walked to the post office with {what:obj} in {who:his} pocket.",
    ),
    "wait_for_answer": (
        "{who} waited {weeks} weeks for an answer.",
        "for {weeks} weeks the letter carrier walked past {who:poss} door.",
        "{who} looked into the empty letter box every day for {weeks} weeks.",
    ),
    "good_answer": (
        "an answer came: {whom} was not ill and would come to visit.",
        "{whom} wrote back that {whom:he} would come in spring.",
        "the letter carrier rang, and {whom} had sent {who:obj} good news.",
    ),
    "bad_answer": (
        "an answer came: {whom} was ill and would not come to visit.",
        "{whom} wrote back that {whom:he} would not come in spring.",
        "the letter carrier rang, and {whom} had sent {who:obj} no good news.",
    ),
    # the dark evening
    "storm": (
        "{who} was at home while a storm shook the windows.",
        "thunder rolled over the roof, and {who} closed all the windows.",
        "a storm came up in the evening, and {who} stayed indoors.",
    ),
    "lights_out": (
        "all the lights went out.",
        "the light in {who:poss} room went out.",
        "the whole street was dark.",
    ),
    "afraid": (
        "{whom} was afraid of the dark.",
        "{whom} sat under the table and did not come out.",
        "{whom} began to cry.",
    ),
    "strike_match": (
        "{who} looked for a match to light {tool:obj}.",
        "{who} struck the last match and held it to {tool:a}.",
        "{who} found {tool:a} and one last match.",
    ),
    "sing_together": (
        "{who} and {whom} sat by the small flame and sang all the songs they knew.",
        "{who} told {whom:obj} stories until nobody was afraid any more.",
        "{whom} forgot the storm and laughed with {who:obj}.",
    ),
    "light_returns": (
        "the light came back, and {who} hardly noticed.",
        "the storm was over, and all the lamps were on again.",
    ),
    "match_dies": (
        "the match went out before {tool} {tool:was} lit.",
        "the wind blew the match out, and there was no other.",
        "the match broke, and {who} sat in the dark.",
    ),
    "roof_leaks": (
        "water dripped through the roof, and nobody laughed or sang.",
        "the street stayed dark, and water ran down {who:poss} walls.",
        "a window broke, and the storm was not over.",
    ),
    # new work
    "want_job": (
        "{who} wanted to become {job:a}, and there was a place free {where:at}.",
        "{where:at} they were looking for {job:a}, and {who} wrote to them.",
        "{who} was tired of {who:his} work and dreamt of becoming {job:a}.",
    ),
    "late_bus": (
        "the bus to {where:the} was late, and {who} had to run.",
        "{who} missed the bus and came late {where:to}.",
    ),
    "coffee_stain": (
        "{who} spilled coffee on {who:his} light shirt.",
        "a cup of coffee tipped over, and {who:poss} shirt was brown.",
    ),
    "answer_questions": (
        "{who} answered every question {where:at}.",
        "{who} talked about {who:his} work {where:at} for an hour.",
        "{who} shook hands with everybody {where:at}.",
    ),
    "hired": (
        "{who} got a letter: {who:he} could begin as {job:a} on Monday.",
        "the telephone rang, and they offered {who:obj} the job.",
        "they did not want anybody else {where:at}, and {who} became {job:a}.",
    ),
    "rejected": (
        "{who} got a letter: {who:he} could not begin as {job:a}.",
        "the telephone rang, and they did not offer {who:obj} the job.",
        "they wanted somebody else {where:at}, and {who} did not become {job:a}.",
    ),
    # the picnic
    "plan_picnic": (
        "{who} and {whom} wanted to have a picnic {where:at}.",
        "{who} invited {whom:obj} to a picnic {where:at}.",
        "{whom} had asked {who:obj} to come to a picnic {where:at}.",
    ),
    "pack_food": (
        "{who} packed {food:obj} into a basket.",
        "{who} made {food:obj} and a bottle of juice.",
        "{who} had {food:obj} in {who:his} basket.",
    ),
    "clouds": (
        "dark clouds came up {where:at}, and the first drops fell.",
        "it began to rain {where:at}.",
        "thunder was heard in the distance.",
    ),
    "find_shelter": (
        "{whom} knew an old barn in which they stayed dry.",
        "{who} and {whom} found a dry place under a bridge.",
        "the rain did not last, and {who} and {whom} stayed dry under a tree.",
    ),
    "eat_together": (
        "{who} and {whom} ate {food:obj} and counted the drops.",
        "{who} shared {food:obj} with {whom:obj}.",
        "{food} {food:was} enough for {who:name} and {whom:name}.",
    ),
    "soaked": (
        "{who} and {whom} did not stay dry, and {food} {food:was} soaked.",
        "the rain did not stop, and {who} and {whom} ran home without {food:obj}.",
        "{who} and {whom} found no dry place, and there was nothing left of {food:obj} to share.",
    ),
    # the rescue
    "hear_cry": (
        "{who} heard a cry {where:at}: {what:a} sat in a tall tree.",
        "{what:a} was stuck on the highest branch of a tree {where:at}, and {who} saw it.",
        "{who} looked up {where:at} and saw {what:a} that could not come down.",
    ),
    "climb": (
        "{who} fetched {tool:a} and climbed up.",
        "{who} leaned {tool:a} against the tree.",
        "{who} carried {tool:a} to the tree and went up step by step.",
    ),
    "branch_cracks": (
        "the branch under {what:obj} cracked.",
        "{who} heard the bark of the tree crack.",
        "a dog began to bark, and {what} climbed even higher.",
    ),
    "save": (
        "{who} reached {what:obj} in time, and nobody was hurt.",
        "{who} got hold of {what:obj} and did not fall.",
        "{what} jumped into {who:poss} arms and was safe.",
    ),
    "fall": (
        "{who} did not reach {what:obj} in time, fell from {tool:obj} and was hurt.",
        "{who} got hold of nothing and fell.",
        "{what} jumped away, and {tool} slipped under {who:obj}.",
    ),
    # the picture
    "paint": (
        "{who} was painting {scene} for the museum.",
        "the museum was looking for pictures, and {who} began to paint {scene}.",
        "{who} wanted to show a picture of {scene} in the museum.",
    ),
    "spill_paint": (
        "{whom} knocked over a glass of black paint, and it ran over the picture.",
        "{whom} ran through the room, and a brush with black paint fell on the picture.",
    ),
    "paint_over": (
        "{who} painted {scene} a second time.",
        "{who} took a clean sheet and began again.",
        "{who} turned the black stain into a bird.",
    ),
    "lend_brush": (
        "{whom} lent {who:obj} a fine brush.",
        "{whom} mixed the colours for {who:obj}.",
    ),
    "prize": (
        "the museum hung {who:poss} picture in the large hall.",
        "nobody walked past {who:poss} picture without a word of praise.",
        "{who:poss} picture of {scene} won a prize.",
    ),
    "no_prize": (
        "the museum did not hang {who:poss} picture in the large hall.",
        "everybody walked past {who:poss} picture without a word of praise.",
        "{who:poss} picture of {scene} did not win a prize.",
    ),
    # a turn at the very end
    "comfort": (
        "friends came with food and music, and the trouble was soon forgotten.",
        "help was near, and {who} made a new friend that day.",
        "when {who} came home, the whole family stood at the door to cheer {who:him} up.",
        "the neighbours cooked a large dinner for {who:obj}.",
        "{who} found a gold coin in the street.",
        "this bad luck turned out to be good luck: {who} met an old friend who helped {who:him}.",
    ),
    "spoilt": (
        "on the way home {who} slipped and broke {who:his} arm.",
        "thieves came that night and took all that {who} had saved.",
        "a message came that same night, and it was bad news for {who:obj}.",
        "a pipe burst in {who:poss} house, and everything stood under water.",
        "{who} heard that {who:his} best friend was going to move away.",
        "this good luck did not last: {who} fell ill the same night.",
    ),
    # how it ends
    "happy_end": (
        "{who} went to bed with a smile.",
        "{who} was happy.",
        "{who} was not sad any more.",
        "{who} had seldom been so glad.",
        "nobody in the house was angry or worried that night.",
        "it had not been a bad day after all.",
        "{who} did not regret anything.",
        "{who} thought that life was beautiful.",
        "there was no reason to cry, and {who} danced through the kitchen.",
        "what a wonderful day it had been for {who:obj}.",
        "{who} no longer felt lonely or afraid.",
        "nothing could spoil {who:poss} joy.",
        "{who} forgot {who:his} tears and laughed.",
        "{who} thanked everybody and slept well.",
        "{who} could not have wished for a better end.",
        "{who} had feared the worst, but now {who:his} heart was light.",
    ),
    "sad_end": (
        "{who} went to bed without a smile.",
        "{who} was not happy.",
        "{who} was sad.",
        "{who} had seldom been so unhappy.",
        "nobody in the house laughed or danced that night.",
        "it had not been a good day after all.",
        "{who} regretted everything.",
        "{who} did not think that life was beautiful.",
        "there was no reason to dance, and {who} cried in the kitchen.",
        "what a terrible day it had been for {who:obj}.",
        "{who} felt lonely and no longer hoped for anything.",
        "nothing was left of {who:poss} joy.",
        "{who} could not laugh and did not hide {who:his} tears.",
        "{who} thanked nobody and did not sleep well.",
        "{who} had wished for a better end.",
        "{who} had hoped for the best, but now {who:his} heart was heavy.",
    ),
}
