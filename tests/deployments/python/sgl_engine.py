"""SGLang 离线引擎：两卡张量并行，DSpark 投机解码。

requirements: sglang==0.5.21
"""
# /// script
# dependencies = [
#     "sglang==0.5.21",
#     "transformers",
# ]
# ///
import sglang as sgl


def build():
    return sgl.Engine(
        model_path="deepseek-ai/DeepSeek-V4-Flash",
        tp_size=2,
        mem_fraction_static=0.8,
        speculative_algorithm="DSPARK",
        speculative_num_draft_tokens=4,
        log_level="info",
    )


if __name__ == "__main__":
    engine = build()
    print(engine.generate(["你好"], {"temperature": 0.0, "max_new_tokens": 64}))
    engine.shutdown()
