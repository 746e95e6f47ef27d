"""What fills the days of the small town: hobbies, meals, news, prices, passers-by, ...; symbols only, no words."""

from lab.corpora.town.world import each

# By the role in which an aside names them; within a role, what is frequent comes first.
DAILY: dict[str, tuple[str, ...]] = {
    "hobby": each(
        "reading_detective cooking dancing drawing taking_photographs playing_chess hiking swimming collecting_stamps "
        "knitting playing_table skiing sailing solving_crossword writing_poems playing_cards camping riding_horses "
        "keeping_bees doing_magic practising_yoga studying_stars making_pottery carving_wood building_model "
        "learning_foreign growing_orchids playing_badminton climbing_rocks singing_choir riding_bicycle trying_new "
        "guessing_riddles training_for repairing_radios"
    ),
    "dish": each(
        "fried_rice pizza roast_chicken spaghetti_with steamed_fish chocolate_ice potato_salad pancakes_with "
        "mushroom_stew grilled_sausages beef_with tofu_with lamb_curry hamburgers_chips garlic_prawns sweet_sour "
        "roast_duck lemon_tart peach_jam watermelon mashed_potatoes cucumber_salad spinach_with baked_pumpkin "
        "lentil_soup vanilla_pudding crab_with cauliflower turkey_with oysters"
    ),
    "dislike": each(
        "getting_up waiting_line spiders crowds snakes mosquitoes needles heights gossip traffic_jams washing_dishes "
        "loud_advertisements cold_showers bitter_medicine ironing lifts arguments politics wasps mice dust "
        "long_meetings liars paperwork rudeness taxes tight_collars mud cigarette_smoke vinegar silly_jokes "
        "sudden_changes raw_onions unnecessary_questions being_alone long_speeches"
    ),
    "looks": each(
        "curly_hair dark_eyes friendly_face long_fingers big_ears red_cheeks broad_shoulders deep_voice freckles "
        "pointed_nose straight_teeth dimples pale_forehead strong_arms thin_lips bushy_eyebrows long_eyelashes "
        "scar_on short_legs slim_figure blond_hair mole_on proud_chin charming_smile rough_skin narrow_wrists"
    ),
    "furniture": each(
        "leather_armchair tall_mirror bookcase television thick_carpet striped_curtains fireplace calendar "
        "porcelain_vase aquarium rocking_chair soft_cushions glass_cabinet typewriter potted_palm marble_statue "
        "crystal_chandelier wardrobe folding_screen fan bamboo_stool oil_portrait record_player empty_birdcage heater "
        "tapestry"
    ),
    "belief": each(
        "health_mattered practice_made money_could honesty_important every_problem nobody_too good_manners "
        "mistakes_were time_healed truth_always patience_virtue knowledge_power silence_sometimes promise_promise "
        "everybody_deserved freedom_precious nature_should science_could courage_could experience_worth future_would "
        "violence_solved success_depended people_should justice_would tradition_deserved women_men luck_favoured "
        "laziness_led love_stronger sport_kept simple_things it_necessary several_small good_example private_matters "
        "nobody_perfect war_worst neither_fame every_opinion whoever_wanted death_natural danger_belonged "
        "nobody_should ordinary_people"
    ),
    "trait": each(
        "polite patient curious generous shy stubborn honest careful brave practical modest talkative serious "
        "punctual ambitious clumsy absent_minded sensible energetic creative reliable thoughtful independent nervous "
        "confident sensitive witty cautious loyal humble gentle clever kind_hearted silly wise special quick bitter"
    ),
    "tongue": each(
        "english french spanish german chinese japanese russian italian arabic portuguese korean greek turkish "
        "swedish hindi latin"
    ),
    "country": each(
        "china america england canada india australia france germany japan brazil italy spain russia egypt mexico "
        "turkey greece ireland sweden vietnam thailand kenya peru norway switzerland poland singapore iceland"
    ),
    "relative": each(
        "nephew_navy niece_who uncle_who seven_cousins relatives_many grandfather_who twin_sisters aunt_who "
        "brother_at ancestors_who stepfather_from godmother_who great_grandmother cousin_who sister_who "
        "uncle_who_emigrated"
    ),
    "habit": each(
        "drank_cup did_few went_jogging kept_diary walked_round took_nap took_vitamins listened_weather did_crossword "
        "fed_sparrows swept_pavement polished_shoes took_hot meditated dusted_shelves checked_calendar played_lottery "
        "prayed gargled_with combed_cat emptied_dustbin wiped_stove lifted_weights stretched"
    ),
    "often": each(
        "every_morning every_evening twice_day before_breakfast at_noon three_times on_sundays at_weekends after_supper"
    ),
    "carried": each(
        "clean_handkerchief mobile_phone some_sweets comb pencil_rubber pocket_knife chewing_gum headphones "
        "lucky_charm tissues identity_card some_plasters ruler piece_string needle_thread whistle pocket_calculator "
        "hand_cream safety_pins bottle_water dictionary compass magnifying_glass mints credit_card glue"
    ),
    "month": each("january february march april june july august september october november december"),
    "dream": each(
        "sailing_round owning_house seeing_pyramids writing_novel flying_balloon becoming_famous climbing_highest "
        "winning_lottery opening_small meeting_president crossing_desert seeing_penguins acting_film inventing_clever "
        "discovering_comet diving_among living_castle walking_on visiting_volcano spending_year finding_buried "
        "breaking_world seeing_northern riding_elephant living_ordinary driving_lorry training_wild having_large "
        "being_popular becoming_rich"
    ),
    "song": each(
        "folk_songs classical_music jazz pop rock opera film_music brass_bands lullabies blues choirs waltzes hip_hop "
        "marches symphonies carols"
    ),
    "programme": each(
        "evening_news cartoons quiz_shows documentaries_about soap_operas crime_series cookery_programmes comedies "
        "talk_shows science_fiction tennis_tournaments travel_reports westerns political_debates singing_contests "
        "car_races dramas_about horror_films interviews_with programmes_about reports_about fairy_tales "
        "programmes_about_animals"
    ),
    "ache": each(
        "headaches bad_back sore_throat toothache weak_stomach stiff_knees allergy_pollen high_blood asthma "
        "poor_hearing sensitive_skin dizziness stiff_neck coughs sleepless_nights swollen_ankle weak_heart hiccups "
        "cramps_calf rash sprained_thumb"
    ),
    "screen": each(
        "sending_emails chatting_with playing_computer watching_short downloading_music writing_blog searching_for "
        "editing_pictures comparing_prices learning_program designing_posters typing_reports drawing_comics "
        "following_news reading_comments uploading_recipes looking_up copying_files buying_second testing_new"
    ),
    "proud": each(
        "good_handwriting perfect_memory driving_licence signed_photograph family_recipe diploma swimming_certificate "
        "vegetable_patch huge_collection tidy_desk excellent_sense sharp_eye small_library healthy_appetite "
        "silver_cup rare_coin good_reputation strong_muscles gift_for"
    ),
    "commute": each("on_foot by_tram by_underground by_car by_scooter by_ferry by_motorbike by_taxi old_van on_roller"),
    "game": each(
        "hide_seek tag marbles board_games hopscotch dominoes cops_robbers blind_mans with_building with_skipping "
        "with_dice with_puppets leapfrog with_yo with_hoop"
    ),
    "calling": each(
        "astronaut pilot singer scientist film_star firefighter vet detective dancer lawyer journalist captain "
        "professor architect explorer clown magician inventor goalkeeper diplomat programmer zookeeper athlete "
        "general poet surgeon"
    ),
    "chore": each(
        "call_dentist pay_electricity return_library renew_passport charge_phone mow_lawn take_out buy_toothpaste "
        "fill_form book_hotel buy_batteries repair_tap pick_up order_taxi sign_contract wash_curtains defrost_fridge "
        "cancel_newspaper weigh_parcel apply_for pay_parking order_firewood vacuum_stairs sharpen_scissors "
        "reply_invitation clean_chimney sew_on hire_plumber replace_broken check_insurance complete_tax fold_sheets "
        "check_height collect_pension prepare_list"
    ),
    "homework": each(
        "tidy_bedroom learn_poem feed_hamster practise_piano finish_essay draw_triangle memorise_ten "
        "measure_classroom spell_twenty write_summary label_diagram add_up colour_map bring_atlas ask_for "
        "copy_paragraph rehearse_sketch collect_leaves read_chapter work_out pack_satchel learn_alphabet"
    ),
    "meal": each(
        "toast_butter cereal_with boiled_egg steamed_buns bacon_eggs yoghurt_with banana rice_congee ham_roll "
        "croissant oatmeal waffles fried_dough grapes_cheese muesli_with omelette cold_pizza strawberry_jam "
        "half_grapefruit tofu_pudding crackers smoked_salmon pineapple_slice plum_cake handful_raspberries "
        "wonton_soup"
    ),
    "drink": each(
        "cup_coffee cup_tea orange_juice hot_chocolate cold_water soy_milk lemonade tomato_juice mineral_water "
        "jasmine_tea cocoa peppermint_tea mango_smoothie buttermilk ginger_tea espresso coconut_juice glass_cream"
    ),
    "news": each(
        "price_petrol mayor_been scientists_found government_raised police_arrested earthquake_shaken factory_going "
        "doctors_tested airports_were volcano_erupted national_team king_married two_countries number_tourists "
        "panda_been climate_becoming parliament_passed minister_education oldest_woman oil_tanker stolen_masterpiece "
        "population_shrinking unemployment_fallen new_motorway court_sentenced actor_received economy_recovering "
        "refugees_reached satellite_been company_lost engineers_built voters_wanted thousands_demonstrated "
        "army_helped museum_going recent_study film_been lion_escaped state_would thousands_sheep trains_would "
        "enemy_attack social_project student_discovered robbers_stolen sailor_crossed rich_families sudden_flood "
        "hospital_needed"
    ),
    "broadcast": each(
        "traffic sports_results vitamins english_grammar stock_market invention_paper pirates sleep medieval_knights "
        "raising_children wild_wolves solar_energy ancient_rome good_posture growing_tea marriage electric_cars "
        "history_printing ocean_currents fashion bacteria chess_champions saving_energy philosophy silk_trade "
        "modern_architecture mushrooms_that orphans"
    ),
    "view": each(
        "children_playing delivery_van flock_pigeons fire_engine workers_repairing two_joggers rainbow group_tourists "
        "ambulance street_sweeper helicopter woman_hanging stray_cat tractor couple_holding ice_cream protesters_with "
        "crane_above twins_pram wedding_procession soldiers_marching old_man swarm_bees scaffolding_front "
        "chimney_sweep bride_white removal_lorry nuns_minibus lady_with man_repairing boy_shaking husband_wife"
    ),
    "clock": each(
        "seven_oclock half_past quarter_eight ten_past quarter_past twenty_eight five_six half_past_nine exactly_eight"
    ),
    "passer": each(
        "mayor butcher old_classmate tourist hairdresser dentist former_teacher pharmacist colleague_mayor landlady "
        "soldier plumber electrician priest student florist grocer sailor journalist caretaker lawyer optician "
        "mechanic photographer greengrocer cyclist secretary_school street_musician shoemaker salesman chief_fire nun "
        "beekeeper watchmaker beggar blacksmith"
    ),
    "question": each(
        "how_are what_time where_are how_your whats_new can_i have_you do_you isnt_it are_you did_you what_are "
        "who_told why_are how_much shall_we have_you_heard would_you which_bus may_i whose_umbrella could_you "
        "when_does do_i whats_matter since_when would_you_mind which_do did_you_mention it_true what_sort are_we "
        "could_you_teach what_do did_you_recognise whom_shall can_you"
    ),
    "remark": each(
        "good_morning see_you take_care nice_meet thank_you i_dont youre_welcome im_sorry have_nice long_time "
        "thats_good dont_worry please_give i_have lets_have you_look it_doesnt i_cant congratulations_on i_havent "
        "excuse_me never_mind course_i my_feet ive_just theres_sale you_wont ill_call my_niece they_say i_wish "
        "thats_none everything_getting i_quite let_me i_totally you_should theres_no better_late maybe_well i_guess "
        "im_really its_real that_must im_terribly i_prefer her_husband dont_shout this_bus let_me_repeat i_suppose "
        "give_it i_cant_imagine we_ought ive_never perhaps_its enjoy_your we_all it_wont its_true"
    ),
    "forecast": each(
        "tomorrow_will its_going there_will weather_will well_have weekend_will theres_thunderstorm temperature_will "
        "itll_be it_hasnt swallows_are we_need therell_be typhoon_coming humidity_unbearable well_see"
    ),
    "group": each(
        "boxes box chairs chair bottles bottle flowerpots flowerpot suitcase suitcases barrel barrels bucket buckets "
        "vase vases bench benches"
    ),
    "beside": each(
        "door windows stairs gate cars fountain bicycles statue bushes traffic_lights phone_box kiosk trees fence"
    ),
    "state": each(
        "dirty empty covered_with wet painted_red very_heavy tied_with for_sale older_than wrapped_plastic ready_for"
    ),
    "crew": each("neighbours girl boys woman farmers man nurses student workers widow twins guest children stranger"),
    "known": each(
        "two_doctors baker lawyers mayors_secretary sisters painter gardeners old_judge musicians cook policemen "
        "widows_son"
    ),
    "ware": each(
        "pair_jeans leather_briefcase frying_pan bath_towel silk_blouse wool_blanket toaster bottle_perfume "
        "tennis_racket kettle cotton_skirt pair_slippers wallet hair_dryer set_saucepans pair_sandals picture_frame "
        "hammock bracelet raincoat_for tea_service microscope velvet_waistcoat lawnmower pillow pair_pyjamas "
        "washing_machine parrot telescope linen_tablecloth"
    ),
    "price": each(
        "ten_dollars twenty_dollars five_dollars nine_dollars thirty_dollars hundred_dollars fifteen_dollars "
        "fifty_dollars eighty_dollars forty_dollars twelve_dollars sixty_dollars"
    ),
    "poster": each(
        "flea_market circus cooking_competition dance_course yoga_class lecture_about auction puppet_show charity_run "
        "cheap_flights jazz_festival school_reunion life_insurance carpet_sale free_eye blood_donation "
        "language_school magic_show marathon chess_tournament carnival new_supermarket bicycle_tour "
        "photography_exhibition play_by ballet_evening fishing_competition election_meeting first_aid dog_show"
    ),
    "smell": each(
        "fresh_coffee fried_onions cut_grass wet_leaves paint petrol cinnamon soap wood_smoke leather gingerbread "
        "perfume tar seaweed garlic roast_chestnuts disinfectant lavender manure burnt_rubber incense mothballs "
        "cheese_wine hot_metal fish_vinegar"
    ),
    "sound": each(
        "music laughter siren cry_baby footsteps trumpet roar_engine hammering lawn_mower crow_rooster vacuum_cleaner "
        "whistle_train drill splashing_water hum_bees applause sneezing croak_frogs sewing_machines harp_music "
        "buzz_saw argument clatter_dishes snoring loudspeaker"
    ),
    "animal": each(
        "hedgehog fox deer frog two_sparrows butterfly snail owl duck_with crow stork lizard beetle turtle donkey "
        "peacock toad weasel woodpecker magpie swallow hare goose eagle mole dragonfly swan pony heron badger hawk "
        "grasshopper flock_sheep lonely_camel several_tiny"
    ),
    "tree": each(
        "oak birch maple willow pine chestnut_tree poplar cherry_tree plane_tree apple_tree elm walnut_tree cypress "
        "pear_tree olive_tree banyan beech ash_tree linden cedar"
    ),
    "flower": each(
        "tulips lilies daisies carnations violets daffodils orchids peonies poppies chrysanthemums sweet_peas irises "
        "hyacinths marigolds dahlias geraniums snowdrops lotus_flowers hydrangeas primroses"
    ),
    "reading": each(
        "history_railways love_story fairy_tale book_about article_about biography_queen thriller comic travel_guide "
        "volume_poems encyclopedia horoscope cookery_book essay_about legend_about magazine_about manual_for "
        "report_about fable_about science_magazine"
    ),
    "advice": each(
        "apple_day it_better sugar_bad water_boils children_need smile_costs onions_help exercise_good one_should "
        "cold_hands guest_should whoever_goes cats_bring burnt_tongue plants_grow carrots_improve early_bird "
        "wet_socks coffee_makes borrowed_tools skill_comes true_friends nobody_should wise_man young_children "
        "one_should_never sand_best spoon_honey fear_makes sheet_paper eggs_should whoever_shakes"
    ),
    "topic": each(
        "new_supermarket price_houses school_reform last_nights holiday_plans neighbours_divorce football_results "
        "their_grandchildren next_election strange_dream dentists_bill modern_art accident_on recipe_for "
        "noise_aeroplanes old_times mayors_speech pensions foreign_customs ghost_castle latest_mobile new_diet "
        "religion computers_at quality_bread height_tower purpose_life level_river sudden_death special_offer "
        "possible_reasons shape_new weight_perfect ear_infection"
    ),
}
