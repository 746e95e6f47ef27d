"""LLaMA's names in transformers, where each number of a head's first half turns with one of the second."""

from typing import Any

from lab.exchange.naming import Config, Key, Naming, short
from lab.exchange.parts import rotary
from lab.layers.rotary import lengthened
from lab.settings import SettingsError

BLOCK, LAYER = "stack.blocks.*.", "model.layers.*."
ORIGINAL = "original_max_position_embeddings"  # the context before it was lengthened
BANDS = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}  # between which LLaMA 3.1 passes from one speed to the other
WAYS = {"llama3": "by_band", "linear": "linear", "yarn": "yarn"}
USUAL = {"beta_fast": 32, "beta_slow": 1, "truncate": True}  # of YaRN


def shape(config: Config) -> dict[str, Any]:
    """What is more than one key."""
    rope = rotations(config)
    kind = rope.get("rope_type", rope.get("type", "default"))
    heads, kv_heads = config.get("num_attention_heads", 32), config.get("num_key_value_heads")
    knobs = {"kv_heads": None if kv_heads == heads else kv_heads, "head_width": head_width(config)}
    knobs["theta"] = rope.get("rope_theta", config.get("rope_theta", 1e4))
    if kind in WAYS:
        # In the order in which transformers reads them.
        most = config.get(ORIGINAL) or rope.get(ORIGINAL) or config.get("max_position_embeddings", 2048)
        knobs |= {"rope_scaling": WAYS[kind], "rope_scale": rope.get("factor")}
        knobs |= {"original_context": most} if kind != "linear" else {}
    return knobs


def rotations(config: Config) -> dict[str, Any]:
    """What a config says of rotations. Raises SettingsError where the lab's are others."""
    given = config.get("rope_scaling") or config.get("rope_parameters") or {}  # of both transformers takes the first
    rope = given if isinstance(given, dict) else {"rope_type": given}
    kind = rope.get("rope_type", rope.get("type", "default"))
    odd = {key: rope[key] for key in USUAL if rope.get(key) not in (None, USUAL[key])}
    if kind == "yarn":
        odd |= {key: rope[key] for key in ("mscale", "mscale_all_dim") if rope.get(key)}
        usual, own = lengthened(float(rope.get("factor") or 1.0)), rope.get("attention_factor")
        odd |= {} if own is None or abs(own - usual) < 1e-6 else {"attention_factor": own}
    elif kind == "llama3":
        odd = {key: rope.get(key) for key, usual in BANDS.items() if rope.get(key) != usual}
    else:
        odd = {}
    if odd or kind not in ("default", "dynamic", *WAYS):
        raise SettingsError(
            f"the config asks for RoPE scaling of the kind {short(kind)}{' with ' + short(odd) if odd else ''}, which "
            "the lab has not",
            f"本实验室不支持配置要求的 {short(kind)} 类 RoPE 缩放{'：' + short(odd) if odd else ''}",
        )
    return rope


def head_width(config: Config) -> int | None:
    """A head's width, None where it is its share."""
    own, width, heads = config.get("head_dim"), config.get("hidden_size"), config.get("num_attention_heads")
    share = isinstance(own, int) and isinstance(heads, int) and own * heads == width
    return None if share or own is None else own


def grows(config: Config) -> tuple[str, str] | None:
    """What is to be said of rotations that are slowed as a text grows: within the lab's context they are not."""
    if rotations(config).get("rope_type", rotations(config).get("type")) != "dynamic":
        return None
    most = config.get("max_position_embeddings", 2048)
    return (
        f"beyond {most} tokens transformers slows this model's rotations as a text grows; here texts end there",
        f"文本超过 {most} 个词元后，transformers 会随长度放慢旋转；这里的文本到此为止",
    )


def config(s: Any) -> dict[str, Any]:
    """And back."""
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": s.theta}
    if s.rope_scale != 1:
        kind = next(theirs for theirs, ours in WAYS.items() if ours == s.rope_scaling)
        rope |= {"rope_type": kind, "factor": s.rope_scale}
        rope |= {ORIGINAL: s.original_context} if kind != "linear" else {}
        rope |= BANDS if kind == "llama3" else {}
    head = s.head_width or s.width // s.heads
    return {"num_key_value_heads": s.kv_heads or s.heads, "head_dim": head, "rope_parameters": rope}


NAMING = Naming(
    model="llama",
    kind="llama",
    tokens="LlamaForCausalLM",
    labels="LlamaForSequenceClassification",
    tag_head="score",
    base="model.",
    names={
        "stack.embed.tokens": "model.embed_tokens",
        BLOCK + "attention.qkv": rotary(
            *(LAYER + f"self_attn.{part}_proj" for part in "qkv"),
            head=lambda s: s.head_width or s.width // s.heads,
            kv_heads=lambda s: s.kv_heads or s.heads,
        ),
        BLOCK + "attention.out": LAYER + "self_attn.o_proj",
        BLOCK + "attention_norm": LAYER + "input_layernorm",
        BLOCK + "feed.gate": LAYER + "mlp.gate_proj",
        BLOCK + "feed.up": LAYER + "mlp.up_proj",
        BLOCK + "feed.down": LAYER + "mlp.down_proj",
        BLOCK + "feed_norm": LAYER + "post_attention_layernorm",
        "stack.norm": "model.norm",
        "head.out": "lm_head",
        "sequence.out": "score",
    },
    same={"lm_head.weight": "model.embed_tokens.weight"},
    sizes={
        "width": Key("hidden_size", 4096),
        "depth": Key("num_hidden_layers", 32),
        "heads": Key("num_attention_heads", 32),
        "feed": Key("intermediate_size", 11008, usual=lambda s: 3 * s.width),
        "context": Key("max_position_embeddings", 2048),
        "eps": Key("rms_norm_eps", 1e-6),
        "tied": Key("tie_word_embeddings", False),
        "bias": Key("attention_bias", False, {"all": True, "none": False}),
    },
    vocabulary=Key("vocab_size", 32000),
    fixed={"hidden_act": "silu", "mlp_bias": False},
    to_shape=shape,
    to_config=config,
    doubt=grows,
    suits=lambda s: s.bias != "qkv",
)
