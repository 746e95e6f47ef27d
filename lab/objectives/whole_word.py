"""Whole-word masking: hide all tokens of a word or none, so that no word can be guessed from its own pieces.

It is masked language modelling but for what is chosen. As in BERT's code, words are visited in random order, one that
is longer than what is left of the share is passed over, and each of its tokens is masked, made random or kept by a draw
of its own. That code takes pieces with "##" for the rest of a word; here the tokenizer's kind does not matter. A word
begins at a blank, at punctuation and at every Chinese token. Chinese writes no blanks: which of its tokens make up a
word is told by a list, the longest word first, where the Chinese models' authors have a segmenter.

B rows   T tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Rates
from lab.masking import choose_grams, expected_in_words
from lab.noise import Dice
from lab.objectives.mlm import Mlm, blanked, shares
from lab.objectives.parts.phrase_list import listed_in, units_of
from lab.settings import SettingsError, knob
from lab.vocabulary import Vocabulary

MOST = 2000  # words in a list
USUAL = (  # frequent ones, by hand: a segmenter knows tens of thousands
    "不得不, 一个, 一些, 一样, 一起, 一直, 一定, 一切, 一般, 五个, 几个, 每个, 两个, 许多, 很多, 全部, 所有, 其他, "
    "另外, 小时, 分钟, 时间, 时候, 时代, 以前, 以后, 现在, 过去, 将来, 未来, 今天, 明天, 昨天, 今年, 去年, 明年, "
    "早上, 晚上, 上午, 中午, 下午, 夜里, 春天, 夏天, 秋天, 冬天, 星期, 周末, 生日, 节日, 小红, 小明, 老人, 孩子, "
    "男孩, 女孩, 男人, 女人, 人们, 大家, 我们, 你们, 他们, 她们, 它们, 自己, 别人, 朋友, 同学, 同事, 邻居, 客人, "
    "父亲, 母亲, 爸爸, 妈妈, 爷爷, 奶奶, 哥哥, 姐姐, 弟弟, 妹妹, 儿子, 女儿, 丈夫, 妻子, 家庭, 家人, 医生, 护士, "
    "老师, 学生, 教授, 工人, 农民, 警察, 司机, 记者, 作家, 画家, 演员, 厨师, 律师, 老板, 经理, 先生, 小姐, 女士, "
    "国王, 英雄, 中国, 美国, 英国, 法国, 德国, 日本, 北京, 上海, 广州, 深圳, 天津, 重庆, 南京, 杭州, 武汉, 成都, "
    "西安, 香港, 台湾, 哈尔滨, 黑龙江, 长江, 黄河, 省会, 首都, 城市, 农村, 乡村, 国家, 世界, 社会, 历史, 文化, 经济, "
    "政治, 法律, 政府, 人民, 民族, 公司, 工厂, 商店, 市场, 银行, 邮局, 医院, 学校, 大学, 中学, 小学, 教室, 图书馆, "
    "博物馆, 电影院, 饭店, 餐厅, 公园, 花园, 动物园, 车站, 火车, 汽车, 飞机, 机场, 地铁, 自行车, 公共汽车, 小镇, "
    "街道, 马路, 桥梁, 房子, 房间, 厨房, 门口, 窗户, 桌子, 椅子, 座位, 背包, 衣服, 裤子, 鞋子, 帽子, 雨伞, 眼镜, "
    "手表, 手机, 电话, 电脑, 电视, 电影, 音乐, 歌曲, 故事, 小说, 报纸, 杂志, 照片, 礼物, 面包, 苹果, 香蕉, 西瓜, "
    "水果, 蔬菜, 米饭, 面条, 饺子, 牛奶, 咖啡, 茶叶, 鸡蛋, 早饭, 午饭, 晚饭, 太阳, 月亮, 星星, 天空, 天气, 下雨, "
    "下雪, 刮风, 温度, 空气, 大海, 河流, 湖水, 山上, 森林, 树木, 花朵, 草地, 动物, 小狗, 小猫, 老虎, 狮子, 大象, "
    "猴子, 熊猫, 兔子, 身体, 眼睛, 耳朵, 鼻子, 嘴巴, 头发, 肚子, 健康, 生病, 感冒, 生活, 工作, 学习, 研究, 考试, "
    "成绩, 作业, 问题, 答案, 办法, 方法, 原因, 结果, 目的, 意思, 意义, 机会, 经验, 知识, 能力, 水平, 语言, 汉语, "
    "中文, 英语, 单词, 句子, 文章, 文字, 文本, 词语, 模型, 训练, 预测, 概率, 数据, 算法, 计算, 计算机, 网络, 信息, "
    "技术, 科学, 科技, 数学, 物理, 化学, 自然, 人工智能, 机器学习, 深度学习, 神经网络, 注意力, 下一个, 来到, 回到, "
    "看到, 听到, 找到, 得到, 遇到, 想到, 知道, 认识, 觉得, 认为, 希望, 喜欢, 相信, 忘记, 记得, 发现, 发生, 开始, "
    "结束, 继续, 停止, 准备, 参加, 帮助, 使用, 需要, 应该, 可以, 可能, 能够, 必须, 愿意, 不要, 不是, 没有, 已经, "
    "正在, 终于, 突然, 马上, 总是, 经常, 常常, 有时, 非常, 特别, 十分, 比较, 更加, 最后, 首先, 然后, 因为, 所以, "
    "但是, 可是, 不过, 而且, 如果, 虽然, 即使, 或者, 并且, 于是, 为了, 关于, 对于, 根据, 通过, 什么, 怎么, 怎样, "
    "为什么, 哪里, 哪个, 这个, 那个, 这些, 那些, 这里, 那里, 这样, 那样, 高兴, 快乐, 幸福, 难过, 伤心, 生气, 害怕, "
    "担心, 着急, 漂亮, 美丽, 好看, 好吃, 便宜, 贵重, 干净, 安静, 热闹, 重要, 简单, 困难, 容易, 聪明, 努力, 认真, "
    "小心, 年轻, 新鲜, 东西, 事情, 地方, 方面, 方向, 部分, 内容, 情况, 关系, 条件, 环境, 变化, 发展, 提高, 增加, "
    "减少, 出现, 进行"
)


@dataclass(frozen=True, kw_only=True)
class WholeWords(Mlm):
    """How much is asked, what stands in its place, and which Chinese tokens are a word together."""

    words: str = knob(
        USUAL, "Chinese words of several tokens, with commas between", "由几个词元组成的中文词，用逗号隔开"
    )

    @property
    def listed(self) -> tuple[str, ...]:
        """The words, the longest first."""
        return listed_in(self.words)

    def check(self) -> None:
        super().check()
        if len(self.listed) > MOST:
            raise SettingsError(f"give at most {MOST:,} words", f"最多给出 {MOST:,} 个词")


def asked_of(ids: NDArray[np.int64], s: WholeWords, vocabulary: Vocabulary) -> tuple[float, float] | None:
    """How many of the ids (T,) are asked on average, and the standard deviation, where there is a formula."""
    words, _ = units_of(ids[None], s.listed, vocabulary)
    return expected_in_words(words[0], s.share)


@OBJECTIVES.add(
    "whole_word",
    title="Whole-word masking",
    zh=("全词掩码", "要掩码就掩码一个词的全部词元，不能靠词的一部分猜出另一部分。"),
    paper="Cui et al. 2019, section 2.1",
    settings=WholeWords,
    traits={"whole"},
    stage="token",
    learnt_by=("BERT-wwm",),
    frame="bounded",
    rates=Rates(shares=shares, asked=asked_of),
    order=1.2,
)
def whole_word(ids: NDArray[np.int64], s: WholeWords, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Masks all tokens of a word or none, so that no word can be guessed from its own pieces."""
    # With pieces masked singly "##ling" gives "sap" away, and the model learns spelling instead of meaning.
    words, _ = units_of(ids, s.listed, vocabulary)  # (B, T)
    asked = choose_grams(words, (1.0,), s.share, dice)  # (B, T)
    return blanked(ids, asked, s, vocabulary, dice)
