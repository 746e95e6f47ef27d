"""The Gradio theme: calm, one accent, readable from the last row, enough contrast in light and dark.

The colours are named in assets/page/colours.css; the fonts are those of assets/fonts and the system's.
"""

from typing import Any

import gradio as gr

SANS = [
    "Inter",
    "system-ui",
    "-apple-system",
    "Segoe UI",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans CJK SC",
    "sans-serif",
]
MONO = [
    "Plex Mono",
    "ui-monospace",
    "SFMono-Regular",
    "Menlo",
    "Consolas",
    "DejaVu Sans Mono",
    "Noto Sans Mono CJK SC",
    "monospace",
]


def theme() -> Any:
    """A Gradio theme whose colours are CSS variables of ours, so that light and dark are decided in one place."""
    pairs = {
        "body_background_fill": "var(--lab-paper)",
        "body_text_color": "var(--lab-ink)",
        "body_text_color_subdued": "var(--lab-quiet)",
        "background_fill_primary": "var(--lab-card)",
        "background_fill_secondary": "var(--lab-paper)",
        "border_color_primary": "var(--lab-line)",
        "border_color_accent": "var(--lab-accent)",
        "color_accent_soft": "var(--lab-accent-soft)",
        "block_background_fill": "var(--lab-card)",
        "block_border_color": "var(--lab-line)",
        "block_label_background_fill": "var(--lab-card)",
        "block_label_text_color": "var(--lab-quiet)",
        "block_title_text_color": "var(--lab-ink)",
        "block_info_text_color": "var(--lab-quiet)",
        "input_background_fill": "var(--lab-field)",
        "input_border_color": "var(--lab-edge)",
        "input_border_color_focus": "var(--lab-accent)",
        "input_placeholder_color": "var(--lab-quiet)",
        "slider_color": "var(--lab-accent)",
        "checkbox_background_color": "var(--lab-field)",
        "checkbox_background_color_selected": "var(--lab-accent)",
        "checkbox_border_color": "var(--lab-edge)",
        "checkbox_border_color_selected": "var(--lab-accent)",
        "checkbox_border_color_focus": "var(--lab-accent)",
        "checkbox_label_background_fill": "var(--lab-card)",
        "checkbox_label_background_fill_selected": "var(--lab-accent-soft)",
        "checkbox_label_text_color": "var(--lab-ink)",
        "checkbox_label_text_color_selected": "var(--lab-ink)",
        "button_primary_background_fill": "var(--lab-accent)",
        "button_primary_background_fill_hover": "var(--lab-accent-strong)",
        "button_primary_border_color": "var(--lab-accent)",
        "button_primary_text_color": "var(--lab-on-accent)",
        "button_secondary_background_fill": "var(--lab-card)",
        "button_secondary_background_fill_hover": "var(--lab-accent-soft)",
        "button_secondary_border_color": "var(--lab-edge)",
        "button_secondary_text_color": "var(--lab-ink)",
        "link_text_color": "var(--lab-accent)",
        "table_even_background_fill": "var(--lab-card)",
        "table_odd_background_fill": "var(--lab-paper)",
        "table_border_color": "var(--lab-line)",
        "stat_background_fill": "var(--lab-accent-soft)",
    }
    plain = {
        "block_radius": "14px",
        "block_shadow": "none",
        "block_border_width": "1px",
        "block_label_text_weight": "500",
        "block_title_text_weight": "500",
        "block_title_text_size": "0.95rem",
        "input_radius": "10px",
        "input_text_size": "1rem",
        "button_large_radius": "10px",
        "button_medium_radius": "10px",
        "button_small_radius": "8px",
        "button_large_text_weight": "600",
        "button_medium_text_weight": "600",
        "button_transition": "background-color .15s, border-color .15s",
        "button_border_width": "1px",
        "button_large_text_size": "1.02rem",
        "button_medium_text_size": "1rem",
        "button_large_padding": "11px 20px",
        "layout_gap": "16px",
    }
    base = gr.themes.Default(
        primary_hue="indigo",
        neutral_hue="slate",
        text_size="lg",
        font=[gr.themes.Font(name) for name in SANS],
        font_mono=[gr.themes.Font(name) for name in MONO],
    )
    return base.set(**plain, **pairs, **{name + "_dark": value for name, value in pairs.items()})
