"""OWL-ViT and SAM checkpoints of a few thousand random weights, made where a test wants them."""

from __future__ import annotations

from pathlib import Path


def save_kind_net(path: Path) -> str:
    """An ONNX file of the network that names pixels, with random weights."""
    import torch

    from sayso.evaluation.vision.exporting import export
    from sayso.evaluation.vision.flats import CLASSES
    from sayso.evaluation.vision.network import KindNet
    from sayso.perception.pixel_features import CHANNELS

    torch.manual_seed(0)
    export(KindNet(CHANNELS, len(CLASSES)), path, {})
    return str(path)


def save_owlvit(folder: Path, *, version: int = 1) -> str:
    """A detector's folder; it answers with boxes anywhere, the same ones every time."""
    import torch
    import transformers as tf

    torch.manual_seed(0)
    name = "OwlViT" if version == 1 else "Owlv2"
    small = {
        "hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2,
        "num_attention_heads": 4,
    }  # fmt: skip
    tokenizer = _tokenizer(tf)
    config = getattr(tf, f"{name}Config")(
        text_config={**small, "vocab_size": len(tokenizer), "max_position_embeddings": 16},
        vision_config={**small, "image_size": 32, "patch_size": 8},
        projection_dim=32,
    )
    model = getattr(tf, f"{name}ForObjectDetection")(config)
    with torch.no_grad():
        for weights in model.box_head.parameters():
            weights.mul_(0.01)  # else boxes are lines: random weights are too large
    model.save_pretrained(folder)
    images = getattr(tf, f"{name}ImageProcessor")(size={"height": 32, "width": 32})
    getattr(tf, f"{name}Processor")(images, tokenizer).save_pretrained(folder)
    return str(folder)


def save_sam(folder: Path) -> str:
    """A segmenter's folder."""
    import torch
    import transformers as tf

    torch.manual_seed(0)
    config = tf.SamConfig(
        vision_config={
            "hidden_size": 32, "output_channels": 16, "num_hidden_layers": 1,
            "num_attention_heads": 4, "image_size": 64, "patch_size": 16, "num_pos_feats": 8,
            "window_size": 2, "global_attn_indexes": [0], "mlp_dim": 32,
        },
        prompt_encoder_config={
            "hidden_size": 16, "image_size": 64, "patch_size": 16, "mask_input_channels": 4,
        },
        mask_decoder_config={
            "hidden_size": 16, "mlp_dim": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
            "iou_head_hidden_dim": 16, "iou_head_depth": 2,
        },
    )  # fmt: skip
    tf.SamModel(config).save_pretrained(folder)
    images = tf.SamImageProcessor(size={"longest_edge": 64}, pad_size={"height": 64, "width": 64})
    tf.SamProcessor(images).save_pretrained(folder)
    return str(folder)


def _tokenizer(tf):
    """Characters alone, so that any words can be read."""
    characters = [chr(c) for c in range(ord("a"), ord("z") + 1)] + list("0123456789")
    tokens = [*characters, *(c + "</w>" for c in characters), "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    return tf.CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=16)
