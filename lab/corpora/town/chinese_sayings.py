"""How Chinese tells each event of the small town: several sayings for each, with gaps for the roles.

As in English, happy and sad outcomes share many words on purpose, some of them negated.
"""

SAYINGS: dict[str, tuple[str, ...]] = {
    # who it is about
    "child": (
        "{who}今年{who:age}岁，住在{near}附近。",
        "{who}是个{who:age}岁的{who:child}，在小镇上的学校读书。",
        "{near}旁边的一座房子里，住着一个{who:age}岁的{who:child}，名叫{who:name}。",
        "{who}刚满{who:age}岁，小镇上的每条街都认得。",
    ),
    "worker": (
        "{who}是一名{who:job}，在{where}工作。",
        "{who}今年{who:age}岁，是个{who:job}，住在{near}附近的一套公寓里。",
        "{who}在小镇上当{who:job}已经{years}年了。",
        "{where:in}人人都认识{who}，一个{who:age}岁的{who:job}。",
        "{who}在{where}当{who:job}。",
    ),
    "elder": (
        "{who}今年{who:age}岁，一个人住在{near}附近。",
        "{who}当了{years}年的{who:job}，现在有的是时间。",
        "老人{who:name}从前是一名{who:job}，住在{near}附近。",
    ),
    "cheerful": (
        "{who}爱笑，朋友很多。",
        "{who}很少心情不好。",
        "人们都说，{who}像春天的早晨一样开朗。",
        "{who}从来不会抱怨很久。",
    ),
    "gloomy": (
        "{who}不爱笑，朋友很少。",
        "{who}很少有心情好的时候。",
        "人们都说，{who}像下雨的星期一一样沉闷。",
        "{who}不太相信自己的运气。",
    ),
    # weather
    "rain": (
        "一个{season}的{part}，下着大雨。",
        "一个{season}的{part}，屋顶上空乌云密布，不久就下起了雨。",
        "一个潮湿的{season}的{part}，街上到处是水坑。",
    ),
    "snow": (
        "一个{season}的{part}，屋顶上积着厚厚的雪。",
        "一个{season}的{part}，天上飘着雪，街上又白又静。",
        "雪下了一整夜，那个{season}的{part}，汽车都停着不动。",
    ),
    "cold": (
        "一个{season}的{part}，冷得窗户都结了冰。",
        "一个{season}的{part}，从北方刮来一阵冷风。",
        "那是一个晴朗却冷得刺骨的{season}的{part}。",
    ),
    "heat": (
        "一个{season}的{part}，热得连狗都躺在树荫下。",
        "一个炎热的{season}的{part}，天上一片云也没有。",
        "那个{season}的{part}，小镇热得像个烤炉。",
    ),
    "wind": (
        "一个{season}的{part}，大风吹得树木直摇。",
        "一个刮大风的{season}的{part}，树叶和报纸满街飞。",
        "那是一个大风呼啸的{season}的{part}，到处都有门砰砰作响。",
    ),
    "fog": (
        "一个{season}的{part}，雾浓得谁也看不见教堂的塔楼。",
        "一个{season}的{part}，河面上升起了灰色的雾。",
        "那是一个有雾的{season}的{part}，路灯还亮着。",
    ),
    "sun": (
        "一个{season}的{part}，阳光明媚。",
        "一个明亮的{season}的{part}，天很蓝，鸟儿在歌唱。",
        "那是一个晴朗的{season}的{part}，人们都坐在家门口。",
    ),
    "rain_now": ("下着大雨。", "雨哗哗地下着。", "大雨倾盆。"),
    "snow_now": ("下着雪。", "飘着鹅毛大雪。", "积雪深到膝盖。"),
    "cold_now": ("冷极了。", "天寒地冻。", "冷得刺骨。"),
    "heat_now": ("热极了。", "热得空气都在发抖。", "烈日当空。"),
    "wind_now": ("刮着大风。", "风在房子周围呼呼地吼。", "大风吹得树木直摇。"),
    "fog_now": ("雾浓得像牛奶一样。", "起了大雾。", "雾大得什么也看不见。"),
    "sun_now": ("阳光明媚。", "天空又蓝又亮。", "又暖和又晴朗。"),
    "put_on": (
        "因为{why}，{who}{what:wear}了{what}。",
        "因为{why}，{who}{what:wear}{what}才出门。",
        "{who}{what:wear}了{what}，因为{why}。",
    ),
    "open_umbrella": (
        "{who}撑开{what}，走上了街。",
        "因为{why}，{who}带上了{what}。",
        "因为{why}，{who}带上{what}才出门。",
    ),
    "hang_up": (
        "{who}把{what}挂在门边的钩子上。",
        "{who}把{what}挂回了钩子上。",
        "{what}又挂在了门边的钩子上。",
    ),
    # how it feels on the way
    "worry": (
        "{who}开始担心起来。",
        "{who}很担心，坐也坐不住。",
        "{who}没法想别的事情。",
        "{who}心里很不踏实。",
    ),
    "sadness": (
        "{who}差点哭出来。",
        "{who}心里难过，在一张长椅上坐了下来。",
        "{who}忍不住哭了。",
        "{who}没有心情唱歌。",
    ),
    "anger": (
        "{who}气得踢了一块石头。",
        "{who}没能藏住自己的怒气。",
        "{who}发了脾气。",
    ),
    "fear": (
        "{who}害怕什么都会出错。",
        "{who}感到自己的心跳得很快。",
        "{who}做了最坏的打算。",
    ),
    "tiredness": (
        "{who}累了，想要放弃。",
        "{who}叹了口气，揉了揉眼睛。",
        "{who}觉得累得走不动了。",
    ),
    "hope": (
        "{who}没有放弃希望。",
        "{who}对自己说，一切都会好的。",
        "{who}仍然相信会有好结果。",
    ),
    "trust": (
        "{who}很镇定，还笑了笑。",
        "{who}一点也不担心。",
        "{who}吹起了欢快的口哨。",
        "{who}相信好运会在自己这一边。",
    ),
    # shared
    "put": (
        "{who}把{what}放在{spot}。",
        "{who}把{what}放在{spot}，锁上了门。",
        "出门以前，{who}把{what}放在了{spot}。",
    ),
    "errand": (
        "{who}{where:errand}。",
        "{who}出门{where:errand}。",
        "{who}离开家，走路{where:errand}。",
    ),
    "feed": (
        "{who}把{what}带回家，给了{what:it}{food}。",
        "在家里，{who}喂{what}{food:eat}了{food}。",
        "{what}坐在炉子旁边，{food:eat}着{who}拿来的{food}。",
    ),
    # a dear thing is mislaid
    "treasure": (
        "{who}有{what:a}，是{whom}送的礼物。",
        "{who}很爱惜{whom}送的{what:a}。",
        "{whom}从前送给{who}{what:a}，那是一件宝贝。",
    ),
    "miss": (
        "{who}想看看{what}，却想不起来放在哪里了。",
        "{who}到处找{what}，却白找了一场。",
        "{who}要用{what}，可是平时放的地方没有。",
    ),
    "look": (
        "{who}在{spot}找了找，可是{what}不在那里。",
        "在{spot}，{who}只找到了灰尘。",
        "{who}把{spot}翻了个遍，也没有看到{what}的影子。",
    ),
    "recall": (
        "{who}想起了一个地方：{spot}。",
        "{who}想起了自己那天做过的事情。",
        "{who}的眼前出现了一个画面：{spot}。",
    ),
    "find_at": (
        "{who}在{spot}找到了{what}。",
        "{what}就在{spot}，好好的。",
        "{who}往{spot}一看，{what}就在那里。",
        "{what}根本没有丢，就在{spot}。",
    ),
    "admit_loss": (
        "{whom}不说一声就借走了{what}，在{where:in}弄丢了。",
        "{whom}承认，{what}已经不在家里，丢在{where:in}了。",
        "{whom}把{what}带到{where:in}去，再也没有找到。",
    ),
    "tidy": (
        "{whom}收拾屋子，把{what}放在了{spot}。",
        "{whom}来了，打扫了屋子，也挪动了{what}：现在{what:it}在{spot}。",
    ),
    "reveal": (
        "{whom}进来了，叫{who}去{spot}看看。",
        "{whom}笑了，说东西在{spot}。",
        "{whom}知道{what}在哪里。",
    ),
    "quarrel": (
        "{who}怪{whom}弄丢了东西，两个人好几个星期没有说话。",
        "{who}对{whom}大喊大叫，始终没有弄清{what}在哪里。",
        "{who}骂{whom}是小偷，{whom}走了，没有说{what}在哪里。",
    ),
    # something is dropped on the way
    "save_for": (
        "{who}攒了好几个月的钱，买了{what:a}。",
        "{who}有{what:a}，是用自己的钱买的，心里很得意。",
        "攒了一年的钱以后，{who}终于买到了{what:a}。",
    ),
    "carry": (
        "{who}带着{what}，{where:errand}。",
        "{who}{where:errand}，口袋里装着{what}。",
        "{who}把{what}放进包里，走路{where:errand}。",
    ),
    "gone": (
        "{who}发现{what}不见了。",
        "{who}把手伸进口袋，可是{what}不在那里。",
        "{who}摸了摸口袋，没有找到{what}。",
    ),
    "search_way": (
        "{who}回到{where}，在每张长椅下面都找了一遍。",
        "{who}把去{where}的路来回找了一遍。",
        "{who}急忙回到{where}，向每个人打听{what}。",
    ),
    "bring_back": (
        "{whom}在{where:in}捡到了{what}，把{what:it}送了回来。",
        "{whom}向{who}走来，手里拿着{what}。",
        "{whom}按响了门铃：{what}并没有丢。",
    ),
    "never_found": (
        "{who}再也没有找到{what}。",
        "没有人捡到{what}，也没有人把{what:it}送回来。",
        "{who}只好回家，{what}没有了。",
        "{what}真的丢了。",
    ),
    # a pet runs away
    "keep_pet": (
        "{who}养了{what:a}，走到哪里{what:it}就跟到哪里。",
        "{who}和{what:a}住在一起。",
        "{who}的院子里养着{what:a}，常常坐在{who:he}身边。",
    ),
    "flee": (
        "{what}{why}，跑掉了。",
        "{what}{why}，跳过篱笆跑了。",
        "{what}{why}，跑到街上就不见了。",
    ),
    "call": (
        "{who}去{where:in}叫了又叫，可是什么动静也没有。",
        "{who}在{where:in}叫着{what}，把嗓子都喊哑了。",
        "{who}在{where:in}的每一丛树后面找{what}。",
    ),
    "join": (
        "{whom}也来了，帮忙一起找。",
        "{whom}到处贴了{what}的照片。",
        "{whom}带来了手电筒，帮{who}一起找。",
    ),
    "hear_pet": (
        "{who}听见{where:in}有轻轻的声音：{what}在那里。",
        "{who}在{where:in}看见了{what}，饿了，但是没有受伤。",
        "{who}在{where:in}找到了{what}，{what:it}睡得很安稳。",
    ),
    "stay_away": (
        "{who}一直找到半夜，也没有找到{what}。",
        "碗里的饭一直没有动，因为{what}没有回家。",
        "{who}整夜开着门，可是谁也没有再见到{what}。",
    ),
    # a present
    "birthday": (
        "再过两个星期就是{whom}的生日了。",
        "{whom}快要过生日了。",
        "{whom}的生日聚会快到了。",
    ),
    "want_to_give": (
        "{who}想送给{whom}{what:a}。",
        "{who}去找礼物，在橱窗里看见了{what:a}。",
        "{who}知道{whom}想要{what:a}。",
    ),
    "too_dear": (
        "{what}太贵了，{who}的钱不够。",
        "{who}数了数硬币，不够买{what}。",
        "{who}买不起{what}。",
    ),
    "ask_bank": (
        "{who}去银行申请一小笔贷款。",
        "{who}请银行借一点钱。",
        "{who}在银行排了很长的队，想谈谈贷款的事。",
    ),
    "bank_lends": (
        "银行把钱借给了{who}。",
        "银行的人在纸上签了字，数好了钞票。",
        "银行没有拒绝贷款。",
    ),
    "bank_refuses": (
        "银行没有把钱借给{who}。",
        "银行的人没有在纸上签字。",
        "银行拒绝了贷款。",
    ),
    "empty_hands": (
        "{who}没有带礼物就来到了{whom}的聚会上。",
        "{who}两手空空地站在{whom}面前。",
        "{whom}没有收到{who}的礼物。",
    ),
    "earn": (
        "{who}在{where}帮了两个星期的忙来挣钱。",
        "{who}每天晚上在{where}扫地，把每一枚硬币都存了起来。",
        "{who}一有空就在{where}干活，挣了一点钱。",
    ),
    "buy": (
        "{who}在{where}买下了{what}。",
        "{who}去{where}付钱买了{what}。",
        "{who}带着钱去了{where}，回来时手里拿着{what}。",
    ),
    "give": (
        "{who}把{what}送给了{whom}，{whom}笑个不停。",
        "{who}用纸把{what}包好，交给了{whom}。",
        "{whom}打开{who}送的包裹，看见了{what}。",
    ),
    "sold_out": (
        "{who}带着钱来到{where}的时候，别人已经买走了{what}。",
        "{who}想付钱的时候，{what}已经不在{where}了。",
        "{where:in}的人告诉{who}，{what}已经卖掉了。",
    ),
    # fishing
    "sit_on_bank": (
        "{who}拿着{tool}坐在河岸上。",
        "{who}带上{tool}，在河岸上找了一块干的地方。",
        "在小河边，{who}站在长满青草的岸上，握着{tool}。",
    ),
    "no_bite": (
        "三个小时过去了，没有一条鱼上钩。",
        "水面静静的，{who}的水桶一直是空的。",
        "{who}看着水面，什么动静也没有。",
    ),
    "catch": (
        "{tool}弯得像一张弓，{who}把{what:a}拉出了水面。",
        "{what:a}上了钩，鱼线没有断。",
        "{who}觉得有东西在拉，钓到了{what:a}。",
    ),
    "fry": (
        "{who}用黄油煎了{what}，和{whom}一起吃。",
        "{who}请来了{whom}，两个人一起吃了{what}。",
        "{who}和{whom}围着火坐着，就着面包吃{what}。",
    ),
    "line_breaks": (
        "{tool}弯得像一张弓，{what:a}挣断了鱼线。",
        "{what:a}上了钩，把{tool}拉进水里，不见了。",
        "{who}觉得有东西在拉，可是鱼线断了，{what:a}游走了。",
    ),
    # the match
    "on_the_team": (
        "{who}每个星期六都在{where:in}打棒球。",
        "{who}参加了在{where:in}训练的棒球队。",
        "{who}最喜欢打棒球，{where:in}的比赛一场也不落。",
    ),
    "swing": (
        "{who}每天晚上都挥着{tool}练习，练得胳膊发疼。",
        "{who}在院子里用{tool}练习。",
        "吃过晚饭，{who}拿出{tool}，打了一百个球。",
    ),
    "behind": (
        "在那场大赛里，{who}的球队很快就落后了。",
        "小镇队和城市队比赛，一个小时以后，城市队领先了。",
        "{who}的球队打了一场重要的比赛，一分一分地丢。",
    ),
    "crack": (
        "{tool}咔嚓一声裂开了。",
        "{who}击球太用力，{tool}断成了两截。",
        "{tool}在{who}的手里断了。",
    ),
    "lend_bat": (
        "{whom}借给{who}{what:a}。",
        "{whom}跑回家，给{who}拿来了{what:a}。",
        "{whom}隔着栏杆递给{who}{what:a}。",
    ),
    "win_match": (
        "{who}没有打丢最后一个球，球队赢了比赛。",
        "{who}把最后一个球打到了墙外：比赛赢了。",
        "{who}的球队到底没有输掉比赛。",
    ),
    "lose_match": (
        "{who}打丢了最后一个球，球队输了比赛。",
        "{who}没有打中最后一个球：比赛输了。",
        "{who}的球队到底没有赢下比赛。",
    ),
    # the bat in the dark
    "noise": (
        "{who}听见{where:in}有奇怪的声音。",
        "有什么东西在{where:in}抓来抓去，{who}睡不着。",
        "夜深了，{who}听见{where:in}有翅膀拍打的声音。",
    ),
    "take_light": (
        "{who}拿着{tool}去了{where:in}。",
        "{who}取来{tool}，因为{where:in}没有光。",
        "{who}手里拿着{tool}，打开门，朝{where:in}看了一圈。",
    ),
    "see_bat": (
        "{what:a}从{who}的头上飞过。",
        "在微弱的光里，{who}看见{what:a}挂在房梁上。",
        "{what:a}在光里张开了翅膀。",
    ),
    "free_bat": (
        "{who}打开{where:in}的一扇窗，{what}飞进了夜色。",
        "{who}一动不动，直到{what}自己找到了出路。",
        "{who}用一块布抓住{what}，没有伤到{what:it}，就把{what:it}放了。",
    ),
    "bat_useful": (
        "{what}又飞回来，吃{who}家周围的苍蝇。",
        "{what}在{who}的院子上空捉虫子，苍蝇比从前少了。",
    ),
    "drop_light": (
        "{who}的手一松，{tool}掉了，四周一片漆黑。",
        "{tool}从{who}的手里掉下去，灭了。",
        "{who}吓了一跳，{tool}掉在地上，摔坏了。",
    ),
    "stumble_dark": (
        "{who}在{where:in}踩空了一级台阶，摔伤了膝盖。",
        "{who}在{where:in}摸黑摔倒了，爬不起来。",
        "{who}找不到出去的路，在{where:in}碰伤了头。",
    ),
    # food for the sick
    "ill": (
        "{whom}得了重感冒，躺在床上。",
        "{whom}感冒了，没有起床。",
        "{whom}病了，下不了床。",
    ),
    "cook": (
        "{who}给{whom}做了{food}。",
        "{who}在厨房里站了几个小时，做了{food}。",
        "{who}做了{food}，想给{whom}送去。",
    ),
    "nearly_drop": (
        "{who}在桥上滑了一下，但是什么也没有洒。",
        "{who}绊了一下，差点打翻{food}。",
        "{who}在湿石头上滑了一下，紧紧地抱住了{food}。",
    ),
    "eat_up": (
        "{whom}{food:eat}了{food}，还想再要。",
        "{whom}在床上坐起来，把{food}{food:eat}得一点不剩。",
        "{who}看着{whom}{food:eat}{food}，一点也没有剩下。",
    ),
    "recover": (
        "{whom}的病好了，起了床。",
        "烧退了，{whom}可以下床了。",
        "{whom}不再生病了。",
    ),
    "spill": (
        "{who}在桥上滑了一下，把{food}全洒了。",
        "{who}绊了一下，打翻了{food}，一点也没有剩下。",
        "{who}在湿石头上滑了一下，没有抱紧{food}。",
    ),
    "worse": (
        "{whom}发起了高烧，{who}给医院打了电话。",
        "{whom}的病没有好，起不了床。",
        "烧没有退，{whom}叫着{who}的名字。",
    ),
    # a machine stops
    "break_down": (
        "{what}不动了。",
        "{who}发现{what}坏了。",
        "{what}出了毛病。",
    ),
    "take_apart": (
        "{who}把{what}拆开，可是没有找到毛病。",
        "{who}把{what}的零件摆在桌子上，一个一个地看。",
        "{who}把{what}的每个零件都擦了一遍，可是没有用。",
    ),
    "borrow_tool": (
        "{who}向{whom}借了{tool:a}。",
        "{whom}借给{who}{tool:a}。",
        "{who}问{whom}有没有{tool:bare}，借到了{tool:a}。",
    ),
    "mend": (
        "{who}找到了毛病，{what}又能用了。",
        "{who}用{tool}把{what}装好，一个零件也没有剩下。",
        "{who}修好了{what}，{what:it}从来没有这么好用过。",
        "{what}修好了，不再出毛病。",
    ),
    "ruin": (
        "{who}没有找到毛病，{what}再也不能用了。",
        "{who}用{tool}把{what}装好，却剩下一个零件，什么也不动。",
        "{who}没有修好{what}，零件都进了盒子。",
        "{what}比从前坏得更厉害了。",
    ),
    "return_tool": (
        "{who}把{tool}还给了{whom}，留下来喝茶。",
        "{who}还了{tool}，{whom}听到消息很高兴。",
    ),
    # the concert
    "invited": (
        "星期天，{who}要在{where:in}{what:play}{what:bare}。",
        "{who}答应了在{where:in}的音乐会上{what:play}{what:bare}。",
        "{where:in}要办一场音乐会，人们请{who}{what:play}{what:bare}。",
    ),
    "rehearse": (
        "{who}练得手指发疼。",
        "{who}每天晚上拿出{what}，练同一首曲子。",
        "{who}从早到晚都在{what:play}{what:bare}。",
    ),
    "forbid": (
        "{whom}嫌吵，敲了敲墙。",
        "{whom}抱怨声音太吵。",
    ),
    "stage_fright": (
        "{where:in}的灯暗下来的时候，{who}的手在发抖。",
        "{where:in}一个空座位也没有，{who}身上一阵冷一阵热。",
        "人们在{where:in}等着，{who}却想不起第一个音。",
    ),
    "encourage": (
        "{whom}握了握{who}的手。",
        "{whom}在第一排向{who}挥手。",
    ),
    "applause": (
        "{what:bare}没有出一个错音，全场鼓掌了很久。",
        "{who}用{what:bare}把整首曲子演奏完了，人们站起来鼓掌。",
        "{who}一个音也没有忘，谁也没有提前离开。",
    ),
    "wrong_notes": (
        "{what:bare}一个接一个地出错音，几乎没有人鼓掌。",
        "{who}没有用{what:bare}把整首曲子演奏完，人们站起来离开了。",
        "{who}忘了音符，很久都没有人鼓掌。",
    ),
    # the exam
    "exam_comes": (
        "星期五，{who}有一场{subject}考试。",
        "学校要考{subject}，{who}不喜欢{subject}。",
        "{who}的{subject}不好，可是考试快到了。",
    ),
    "study": (
        "{who}每天夜里在{tool}的光下学{subject}。",
        "{who}点亮{tool}，把{subject}书从第一页看到最后一页。",
        "{who}很晚才睡，把{subject}知识都写在小卡片上。",
    ),
    "oversleep": (
        "{who}睡过了头，没吃早饭就跑去学校。",
        "{who}醒晚了，最后一个走进教室。",
    ),
    "forget_glasses": (
        "{who}把眼镜忘在家里，几乎看不清题目。",
        "{who}忘了带眼镜，纸上的每个字看起来都像一只苍蝇。",
    ),
    "hard_question": (
        "{who}看不懂第一道题。",
        "第一道题太难了，{who}的卷子一个小时都是空白的。",
    ),
    "calm_down": (
        "{who}闭上眼睛，数到了十。",
        "{who}深深地吸了一口气，开始写。",
    ),
    "pass_exam": (
        "{who}听说自己及格了，没有考砸。",
        "老师念了名单，{who}及格了。",
        "{subject}老师给了{who}最高分，谁也没有想到。",
    ),
    "fail_exam": (
        "{who}听说自己考砸了，没有及格。",
        "老师念了及格的名单，里面没有{who}。",
        "{subject}老师给了{who}谁也没有想到的分数，最低分。",
    ),
    # the race
    "enter_race": (
        "{who}想参加{where:in}的大型赛跑。",
        "每年{where:in}都有一场赛跑，{who}报了名。",
        "{who}从来没有赢过赛跑，一心想着{where:in}的那一场。",
    ),
    "train_run": (
        "{who}每天和{whom}一起跑十公里。",
        "{whom}拿着表，{who}跑步。",
        "{who}每天五点起床，和{whom}一起跑步。",
    ),
    "trip_up": (
        "{who}在{where:in}被树根绊倒了。",
        "{who}在{where:in}跑掉了一只鞋，落在了后面。",
        "有人在{where:in}推了{who}一下，别人都跑过去了。",
    ),
    "win_race": (
        "{who}跑过了所有的人，赢得了{what:a}。",
        "{who}不是最后一名，而是第一名，得到了{what:a}。",
        "谁也追不上{who}，{what:a}就是奖品。",
    ),
    "last_in_race": (
        "所有的人都跑过了{who}，{what:that}给了别人。",
        "{who}不是第一名，而是最后一名，没有得到{what:that}。",
        "{who}谁也追不上，别人赢得了{what:that}。",
    ),
    # baking
    "plan_to_bake": (
        "{whom}要来做客，{who}想烤{food}。",
        "{who}请了{whom}，打算烤{food}。",
        "{who}答应给{whom}烤{food}。",
    ),
    "buy_ingredients": (
        "{who}在{where}买了{ingredients}。",
        "{who}去了{where}，带着{ingredients}回了家。",
        "{who}需要{ingredients}，就在{where}买了一些。",
    ),
    "light_oven": (
        "{who}划了一根火柴，点着了烤炉。",
        "{who}把东西在碗里拌好，用火柴点着了烤炉。",
        "{who}系上围裙，点着了烤炉。",
    ),
    "burn_first": (
        "{who}忘了时间，{food}变黑了。",
        "厨房里全是烟，因为{food}烤焦了。",
        "{who}打开烤炉时已经太晚：{food}黑得像煤一样。",
    ),
    "bake_again": (
        "{who}重新开始，这一次{food}金黄金黄的。",
        "{who}又试了一次，一分钟也没有离开厨房。",
        "{who}又烤了一次{food}，什么也没有烤焦。",
    ),
    "guest_eats": (
        "{whom}吃了{food}，一点渣也没有剩。",
        "{whom}来了，尝了尝{food}，别的什么也不要了。",
        "{whom}说{food}一点也不难吃，全都吃光了。",
    ),
    "spoil_again": (
        "{who}又烤了一次{food}，全都烤焦了。",
        "{who}又试了一次，却离开厨房多了一分钟。",
        "{who}重新开始，这一次{food}里放了太多盐。",
    ),
    "guest_hungry": (
        "{whom}来了，没有东西可吃。",
        "{whom}尝了一点渣，别的都没有动。",
        "{whom}说一点也不难吃，可是什么也没有吃。",
    ),
    # the journey
    "plan_visit": (
        "{whom}住在{far}，{who}打算去看望。",
        "{who}想去{far}看望{whom}。",
        "{whom}住在{far}，{who}有一年没见到了。",
    ),
    "pack": (
        "{who}收拾好{what:a}，去了车站。",
        "{who}带着{what:a}来到车站。",
        "{who}背着{what:a}，走到车站。",
    ),
    "train_late": (
        "火车晚点了{hours}个小时。",
        "{hours}个小时都没有火车，{who}坐在站台上。",
        "{who}不得不等了{hours}个小时的火车。",
    ),
    "arrive": (
        "{who}到了，{whom}拿着花在站台上等着。",
        "火车到底还是来了，把{who}带到了{whom}身边。",
        "{who}没有来得太晚：{whom}站在门口挥手。",
    ),
    "lose_ticket": (
        "{who}摸了摸口袋，{what}不见了。",
        "{who}找不到{what}了。",
        "风把{what}从{who}的手里吹走了。",
    ),
    "turn_back": (
        "{who}没能到，{whom}在站台上白等了。",
        "火车没有带上{who}就开走了，{whom}白等了一场。",
        "{who}只好往回走，没有见到{whom}。",
    ),
    # the market stall
    "bring_goods": (
        "{who}带着{what:a}来到{where}，想把{what:it}卖掉。",
        "{who}在{where:in}支起一张桌子，摆上{what:a}。",
        "{who}推着车，把{what:a}运到{where}，希望全部卖光。",
    ),
    "sudden_rain": (
        "一阵大雨把人们都赶走了。",
        "{where:in}下起了雨，人们都跑到屋檐下。",
    ),
    "empty_stalls": (
        "那天{where:in}几乎没有人。",
        "{where:in}的人走过去，什么也不买。",
    ),
    "call_out": (
        "{who}一遍又一遍地喊着{what}的价钱。",
        "{who}把{what}卖得便宜了一些。",
        "{who}让人们随便看{what}，不要钱。",
    ),
    "sell_all": (
        "{whom}买下了{what}，{who}什么也不用带回家了。",
        "{whom}看了看{what}，全都付了钱。",
        "{whom}没有走过去，而是把{what}全买了。",
    ),
    "pay_in": (
        "{who}把钱拿到了银行。",
        "{who}赶在银行关门以前把钱存了进去。",
    ),
    "sell_nothing": (
        "没有人买{what}，{who}只好全都带回家。",
        "大家都看了看{what}，谁也没有付钱。",
        "教堂的钟敲了七下，{who}一件也没有卖出去。",
    ),
    # the garden
    "plant": (
        "春天，{who}在屋后种了{what:a}。",
        "春天，{who}翻了院子里的土，种上了{what:a}。",
        "初春，{who}沿着墙种下了{what:a}。",
    ),
    "no_rain": (
        "好几个星期没有下雨。",
        "夏天很干，井里没有水了。",
        "地硬得像石头一样。",
    ),
    "water": (
        "{who}从森林里的泉边打水回来。",
        "{who}每天早上从泉边给{what}提来一桶水。",
        "{who}每天用冰凉的泉水给{what}浇两次水。",
    ),
    "weeds": (
        "{who}拔掉了{what}周围的杂草。",
        "{what}中间长了杂草，{who}跪在地上拔了好几天。",
    ),
    "storm_warning": (
        "暴风雨快来了，{who}用布把{what}盖了起来。",
        "{who}听见雷声，把{what}绑在棍子上。",
    ),
    "harvest": (
        "{what}长得很好，{who}装满了一大篮。",
        "{what}没有死，长得比从前还好。",
        "{who}的{what:bare}多得篮子也装不下。",
    ),
    "wither": (
        "{what}长得不好，{who}的篮子一直是空的。",
        "{what}长得不比从前好，都死了。",
        "{who}的大篮子里什么也装不上，因为{what}死了。",
    ),
    # a borrowed thing
    "borrow": (
        "{who}借了{what}，周末用。",
        "{whom}把{what}借给了{who}。",
    ),
    "damage": (
        "{who}摔倒了，{what}坏了。",
        "{what}从{who}的手里滑下去，坏了。",
        "{who}用{what}的时候不小心，有什么东西裂开了。",
    ),
    "hide_it": (
        "{who}把{what}藏在{spot}。",
        "{who}不想让人看见{what}，就把{what:it}放在了{spot}。",
    ),
    "own_up": (
        "{who}去找{whom}，说了{what}的实话。",
        "{who}把一切都告诉了{whom}。",
        "{who}带着{what}，敲了敲{whom}的门。",
    ),
    "forgive": (
        "{whom}没有生气，原谅了{who}。",
        "{whom}握住了{who}的手，两个人还是朋友。",
        "“这只是一件东西，”{whom}说。",
        "{whom}说没有关系。",
    ),
    "no_forgiveness": (
        "{whom}生气了，没有原谅{who}。",
        "{whom}没有握{who}的手，两个人不再是朋友了。",
        "“这不只是一件东西，”{whom}说。",
        "{whom}说不是没有关系。",
    ),
    # a letter
    "write": (
        "{who}坐下来，给{whom}写了{what:a}。",
        "{who}想念{whom}，就写了{what:a}。",
        "{who}花了一个晚上，给{whom}写了{what:a}。",
    ),
    "post": (
        "{who}把{what}送到了邮局。",
        "{who}在{what}上贴好邮票，投进了红色的邮筒。",
        "{who}把{what}装在口袋里，走到邮局。",
    ),
    "wait_for_answer": (
        "{who}等回信等了{weeks}个星期。",
        "{weeks}个星期里，邮递员都从{who}的门前走过。",
        "{weeks}个星期里，{who}每天都去看空空的信箱。",
    ),
    "good_answer": (
        "回信来了：{whom}没有生病，要来做客。",
        "{whom}回信说，春天会来。",
        "邮递员按了门铃，{whom}给{who}送来了好消息。",
    ),
    "bad_answer": (
        "回信来了：{whom}生病了，不来做客了。",
        "{whom}回信说，春天不会来。",
        "邮递员按了门铃，{whom}给{who}送来的不是好消息。",
    ),
    # the dark evening
    "storm": (
        "{who}在家里，暴风雨吹得窗户直响。",
        "雷声从屋顶上滚过，{who}关上了所有的窗户。",
        "晚上来了暴风雨，{who}待在家里。",
    ),
    "lights_out": (
        "所有的灯都灭了。",
        "{who}房间里的灯灭了。",
        "整条街一片漆黑。",
    ),
    "afraid": (
        "{whom}怕黑。",
        "{whom}坐在桌子底下不出来。",
        "{whom}哭了起来。",
    ),
    "strike_match": (
        "{who}找火柴来点{tool:a}。",
        "{who}划着了最后一根火柴，去点{tool:a}。",
        "{who}找到了{tool:a}和最后一根火柴。",
    ),
    "sing_together": (
        "{who}和{whom}坐在小小的火光旁，把会唱的歌都唱了一遍。",
        "{who}给{whom}讲故事，讲到谁也不害怕了。",
        "{whom}忘了暴风雨，和{who}一起笑了。",
    ),
    "light_returns": (
        "灯又亮了，{who}几乎没有注意到。",
        "暴风雨过去了，所有的灯都亮了。",
    ),
    "match_dies": (
        "{tool}还没有点着，火柴就灭了。",
        "风吹灭了火柴，再也没有别的了。",
        "火柴断了，{who}坐在黑暗里。",
    ),
    "roof_leaks": (
        "屋顶漏水了，没有人笑，也没有人唱歌。",
        "街上还是一片漆黑，水顺着{who}家的墙流下来。",
        "一扇窗碎了，暴风雨还没有过去。",
    ),
    # new work
    "want_job": (
        "{who}想当{job}，{where}正好有一个空位。",
        "{where}在找一名{job}，{who}写了一封信去。",
        "{who}厌倦了自己的工作，梦想当{job}。",
    ),
    "late_bus": (
        "去{where}的公交车晚点了，{who}只好跑着去。",
        "{who}没有赶上公交车，很晚才到{where}。",
    ),
    "coffee_stain": (
        "{who}把咖啡洒在了自己的浅色衬衫上。",
        "一杯咖啡打翻了，{who}的衬衫变成了棕色。",
    ),
    "answer_questions": (
        "{who}在{where}回答了每一个问题。",
        "{who}在{where}谈了一个小时自己的工作。",
        "{who}在{where}和每个人握了手。",
    ),
    "hired": (
        "{who}收到一封信：星期一可以来当{job}了。",
        "电话响了，人家把这份工作给了{who}。",
        "{where}不要别人，{who}当上了{job}。",
    ),
    "rejected": (
        "{who}收到一封信：不能来当{job}了。",
        "电话响了，人家没有把这份工作给{who}。",
        "{where}要了别人，{who}没有当上{job}。",
    ),
    # the picnic
    "plan_picnic": (
        "{who}和{whom}想在{where:in}野餐。",
        "{who}请{whom}到{where:in}野餐。",
        "{whom}请{who}一起到{where:in}野餐。",
    ),
    "pack_food": (
        "{who}把{food}装进篮子里。",
        "{who}准备了{food}和一瓶果汁。",
        "{who}的篮子里有{food}。",
    ),
    "clouds": (
        "{where:in}飘来了乌云，开始掉雨点了。",
        "{where:in}下起了雨。",
        "远处传来了雷声。",
    ),
    "find_shelter": (
        "{whom}知道一座旧谷仓，两个人在里面没有淋湿。",
        "{who}和{whom}在桥下找到了一块干的地方。",
        "雨没有下多久，{who}和{whom}在树下没有淋湿。",
    ),
    "eat_together": (
        "{who}和{whom}一边吃{food}，一边数雨点。",
        "{who}和{whom}分着吃了{food}。",
        "{food}够{who:name}和{whom:name}两个人吃。",
    ),
    "soaked": (
        "{who}和{whom}都淋湿了，{food}也泡在了水里。",
        "雨没有停，{who}和{whom}丢下{food}跑回了家。",
        "{who}和{whom}没有找到干的地方，{food}也没有剩下可以分着吃的。",
    ),
    # the rescue
    "hear_cry": (
        "{who}听见{where:in}有叫声：{what:a}坐在一棵大树上。",
        "{what:a}困在{where:in}一棵树最高的树枝上，{who}看见了。",
        "{who}在{where:in}抬头一看，{what:a}下不来了。",
    ),
    "climb": (
        "{who}搬来{tool:a}，爬了上去。",
        "{who}把{tool:a}靠在树上。",
        "{who}把{tool:a}搬到树下，一步一步地往上爬。",
    ),
    "branch_cracks": (
        "{what}下面的树枝裂开了。",
        "{who}听见树皮裂开的声音。",
        "一条狗叫了起来，{what}爬得更高了。",
    ),
    "save": (
        "{who}及时抓到了{what}，谁也没有受伤。",
        "{who}抓住了{what}，没有摔下来。",
        "{what}跳进{who}的怀里，没有危险了。",
    ),
    "fall": (
        "{who}没有及时抓到{what}，从{tool}上摔下来，受了伤。",
        "{who}什么也没有抓住，摔了下来。",
        "{what}跳开了，{who}脚下的{tool:bare}滑倒了。",
    ),
    # the picture
    "paint": (
        "{who}正在为博物馆画{scene}。",
        "博物馆在征集画作，{who}开始画{scene}。",
        "{who}想在博物馆展出一幅画，画的是{scene}。",
    ),
    "spill_paint": (
        "{whom}碰倒了一杯黑颜料，颜料流到了画上。",
        "{whom}跑过房间，一支蘸着黑颜料的画笔掉在了画上。",
    ),
    "paint_over": (
        "{who}又画了一遍{scene}。",
        "{who}拿了一张干净的纸，重新开始。",
        "{who}把黑色的污点画成了一只鸟。",
    ),
    "lend_brush": (
        "{whom}借给{who}一支很好的画笔。",
        "{whom}帮{who}调颜色。",
    ),
    "prize": (
        "博物馆把{who}的画挂在了大厅里。",
        "走过{who}的画的人，没有一个不夸奖。",
        "{who}画的{scene}得了奖。",
    ),
    "no_prize": (
        "博物馆没有把{who}的画挂在大厅里。",
        "走过{who}的画的人，没有一个夸奖。",
        "{who}画的{scene}没有得奖。",
    ),
    # a turn at the very end
    "comfort": (
        "朋友们带着吃的来了，又弹又唱，烦恼很快就忘了。",
        "有人来帮忙，{who}那天还交了一个新朋友。",
        "{who}回到家的时候，全家人都站在门口等着安慰{who:he}。",
        "邻居们给{who}做了一大桌饭菜。",
        "{who}在街上捡到了一枚金币。",
        "坏运气变成了好运气：{who}遇到了一位肯帮忙的老朋友。",
    ),
    "spoilt": (
        "{who}在回家的路上滑倒，摔断了胳膊。",
        "那天夜里来了小偷，把{who}攒下的东西全拿走了。",
        "当天夜里传来一个消息，对{who}来说是坏消息。",
        "{who}家的水管裂了，东西都泡在了水里。",
        "{who}听说最好的朋友要搬走了。",
        "好运气没有多久：{who}当天夜里就病倒了。",
    ),
    # how it ends
    "happy_end": (
        "{who}带着微笑睡着了。",
        "{who}很快乐。",
        "{who}不再难过了。",
        "{who}很少这么高兴过。",
        "那天夜里，家里没有人生气，也没有人担心。",
        "这一天到底不算坏。",
        "{who}什么也不后悔。",
        "{who}觉得生活很美好。",
        "没有理由哭，{who}在厨房里跳起了舞。",
        "这一天对{who}来说多么美好。",
        "{who}不再觉得孤单，也不再害怕。",
        "什么也破坏不了{who}的快乐。",
        "{who}忘了眼泪，笑了。",
        "{who}感谢了每一个人，睡得很香。",
        "{who}想不出更好的结局了。",
        "{who}本来做了最坏的打算，现在心里轻松了。",
    ),
    "sad_end": (
        "{who}没有一丝微笑就睡了。",
        "{who}不快乐。",
        "{who}很难过。",
        "{who}很少这么不高兴过。",
        "那天夜里，家里没有人笑，也没有人跳舞。",
        "这一天到底不算好。",
        "{who}什么都后悔。",
        "{who}不觉得生活美好。",
        "没有理由跳舞，{who}在厨房里哭了。",
        "这一天对{who}来说多么糟糕。",
        "{who}觉得很孤单，什么也不再盼望。",
        "{who}的快乐一点也没有剩下。",
        "{who}笑不出来，也没有藏起眼泪。",
        "{who}谁也没有感谢，睡得不香。",
        "{who}本来想要更好的结局。",
        "{who}本来做了最好的打算，现在心里很沉重。",
    ),
}
