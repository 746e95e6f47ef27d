"""What the plots of the small town are about: sights, symptoms, recipes, bargains, ...; symbols only, no words."""

from lab.corpora.town.world import each

# By the role in which an event names them; within a role, what is frequent comes first.
AFFAIRS: dict[str, tuple[str, ...]] = {
    "sight": each(
        "cathedral zoo famous_skyscraper royal_palace stadium botanical_garden opera_house aquarium university "
        "art_gallery parliament_building television_tower old_city amusement_park planetarium wax_museum"
    ),
    "symptom": each(
        "pain_chest terrible_headache upset_stomach high_temperature cough_that swollen_finger itchy_rash "
        "ringing_ears stiff_shoulder nosebleed infected_toe blurred_eyesight pain_lungs rumbling_belly"
    ),
    "remedy": each(
        "pills rest syrup ointment diet injection vitamins drops less_sugar warm_compresses massage fresh_air"
    ),
    "recipe": each(
        "dumplings fish_soup vegetable_curry lasagne stuffed_peppers beef_stew ravioli roast_pork noodle_salad "
        "chicken_with goulash paella"
    ),
    "garment": each(
        "coat dress suit leather_jacket pullover blouse cardigan overcoat denim_jacket tracksuit dressing_gown "
        "fur_coat evening_gown anorak"
    ),
    "defect": each("hole_sleeve missing_button broken_zip stain_on torn_seam crooked_hem faded_colours loose_threads"),
    "theme": each(
        "freedom_press history_town clean_energy friendship rights_children healthy_food dangers_smoking "
        "modern_medicine traffic_safety space_travel poverty_wealth volunteers democracy value_books"
    ),
    "scandal": each(
        "polluted_river empty_houses low_wages missing_statue price_medicine broken_bridge oldest_citizen "
        "stolen_bicycles future_theatre lack_kindergartens corruption_council rubbish_on"
    ),
    "scheme": each(
        "car_park motorway shopping_centre nuclear_plant casino petrol_station office_block prison cement_factory "
        "luxury_hotel"
    ),
    "fault": each(
        "virus loose_cable old_battery dust_fan full_memory missing_driver faulty_keyboard damaged_disk update "
        "forgotten_password"
    ),
    "files": each(
        "all_photographs accounts_club half_finished thesis family_tree all_addresses lecture_notes collection_songs "
        "presentation minutes_meetings"
    ),
    "noisy": each(
        "drummed sang_opera drilled_holes danced_boots quarrelled moved_furniture played_loud practised_trombone "
        "hammered celebrated"
    ),
    "summit": each(
        "highest_summit waterfall hut_above ruined_castle glacier hidden_valley great_cave mountain_lake monastery "
        "deep_canyon"
    ),
    "road_fault": each(
        "engine_stalled truck_braked child_ran windscreen_misted cow_blocked indicator_did tyre_went ambulance_overtook"
    ),
    "injury": each("ankle knee left_foot elbow hip heel shin ribs"),
    "stall": each("scales cash_box empty_crates sunshade other_stalls price_list paper_bags wheelbarrow"),
    "edge": each("fence gate walls compost_heap fruit_trees shed beehives rain_barrels path"),
    "toys": each("dolls cash_register lanterns christmas_tree mirrors mannequin hats curtain"),
}
