"""Which class of `transformers` loads a folder, by its configs; mistral-common is not installed.

Source: https://github.com/huggingface/transformers, version 5.24.0, models/auto/tokenization_auto.py.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from guiapp.core.auto_tokenizer.classes import CLASSES, KEEPING
from guiapp.core.formats.tokenizer_config import SidecarFiles
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted

BASE, PYTHON = "TokenizersBackend", "PythonBackend"
OWN_TYPES = """
Barthez Bartpho Bertweet BioGpt Blenderbot ByT5 CTRL Camembert Canine Clvp CpmAnt Cpm Deberta Dia
Esm FNet FSMT Flaubert Funnel Herbert LED LayoutLMv2 LayoutLMv3 LayoutXLM Luke Lxmert MBart50 MBart
MLuke MPNet Marian MarkupLM MobileBert Mvp MyT5 PLBart Pegasus Perceiver Phobert ProphetNet Rag
Reformer RemBert RoFormer Siglip2 Siglip SpeechT5 Splinter Tapas Tipsv2 Udop VideoPrism Vits Whisper
XGLM XLM XLNet
"""
"""Classes, without “Tokenizer”, of which each is for the one type of its name."""
TYPES_BY_CLASS = """
Albert: albert yoso
Bart: florence2
BertGeneration: bert-generation
BertJapanese: bert-japanese
Bert: align bark bert blip bros chinese_clip convbert distilbert electra ernie flava git
    grounding-dino layoutlm megatron-bert mm-grounding-dino nezha nomic_bert qdqbert realm
    retribert squeezebert tvp vilt visual_bert
BigBird: big_bird
BlenderbotSmall: blenderbot-small
CLIP: aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit sam3 sam3_video xclip
CodeLlama: code_llama
Cohere: aya_vision cohere cohere2
DPRQuestionEncoder: dpr
DebertaV2: deberta-v2
Esmc: esmc esmfold2
GPT2: blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj hyperclovax_vision_v2 instructblip
    instructblipvideo jais2 opt phi starcoder2
GPTNeoXJapanese: gpt_neox_japanese
GPTNeoX: falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm
GPTSw3: gpt-sw3
Gemma: diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma
    shieldgemma2 t5gemma zaya
Lasr: lasr_ctc lasr_encoder
Llama: idefics idefics2
M2M100: m2m_100
Mgpstr: mgp-str
Nllb: nllb nllb-moe
Nougat: nougat pp_formulanet
OpenAIGPT: openai-gpt
Parakeet: granite_speech5_ctc nemotron3_5_asr nemotron_asr_streaming omniasr_ctc parakeet_ctc
    parakeet_rnnt parakeet_tdt
Qwen2: audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl
    lighton_ocr moss_transcribe_diarize ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl
    qwen2_audio qwen2_moe qwen2_vl qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl
    qwen3_vl_moe vibevoice
Qwen3_5: qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp
RoCBert: roc_bert
Roberta: bart bridgetower clap data2vec-text ibert lilt longformer mega mra roberta
    roberta-prelayernorm
SeamlessM4T: seamless_m4t seamless_m4t_v2
Speech2Text: speech_to_text
T5: mt5 musicgen musicgen_melody switch_transformers t5
TokenizersBackend: EvollaModel arctic aria beam bigbird_pegasus camembertv2-base canary chatlm
    cohere_asr ernie4_5 ernie4_5_moe flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v
    glm4v_moe glm_image glmasr got_ocr2 gpt_bigcode gradium_phonon_tts granite granitemoe
    granitemoehybrid granitemoeshared h2ovl_chat hyperclovax hyperclovax_vlm internlm2 internlm3
    iquestcoder jamba kimi_k25 kimi_linear kosmos-2 llava llava_next mimo_v2_flash minicpm3
    minicpm_ocr minicpmv minicpmv4_6 minicpmv4_7 minimax_m2 ministral ministral3 mistral
    mistral3 mistral_large4 mixtral modernbert modernbert-decoder molmo molmo2 nemo_speechlm
    nemotron nvfp4 nystromformer olmo2 olmo3 olmo_hybrid omniasr opencua openvla paddleocr_vl
    pegasus_x persimmon phi3 phi3_v phimoe pix2struct pixtral pocket_tts smolvlm stablelm
    step3_vl umt5 vipllava voxtral voxtral_realtime xlm-roberta-xl
Wav2Vec2CTC: data2vec-audio hubert unispeech unispeech-sat wav2vec2 wav2vec2-bert
    wav2vec2-conformer
Wav2Vec2PhonemeCTC: wav2vec2_phoneme
XLMRoberta: gte jina_embeddings_v3 metaclip_2 trocr xlm-roberta xmod
"""
CLASS_BY_TYPE = {stem.lower(): f"{stem}Tokenizer" for stem in OWN_TYPES.split()}
"""The class that is registered for a type of model."""
for line in TYPES_BY_CLASS.replace("\n    ", " ").strip().splitlines():
    name, _, types = line.partition(": ")
    CLASS_BY_TYPE |= dict.fromkeys(types.split(), name if name == BASE else f"{name}Tokenizer")
TYPES_WITHOUT_CONFIG = """
barthez bartpho bert-japanese bertweet byt5 code_llama cpm herbert mbart50 mega mluke myt5 nezha
nllb phobert qdqbert realm retribert wav2vec2_phoneme
"""
NOT_CONFIGURED = frozenset(TYPES_WITHOUT_CONFIG.split())
"""Types of models that have a class of tokenizers, but none for config.json."""
TYPES_OF_WRONG_CLASS = """
arctic chatlm ernie4_5 ernie4_5_moe fuyu h2ovl_chat hyperclovax hyperclovax_vlm
hyperclovax_vision_v2 internlm2 internlm3 iquestcoder jamba llava llava_next minicpm3 minicpmv
minimax_m2 modernbert modernbert-decoder molmo molmo2 nemotron nvfp4 opencua openvla paddleocr_vl
phi3 phi3_v phimoe qwen2 qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen4_exp step3_vl vipllava cohere_asr
camembertv2-base siglip2 smolvlm
"""
WRONG_CLASS = frozenset(TYPES_OF_WRONG_CLASS.split())
"""Types of models whose configs name a wrong class of tokenizers."""
BASE_FOR = (
    "deepseek-ai/deepseek-r1-distill-llama-*",
    "deepseek-ai/deepseek-coder-*",
    "allenai/dolma2-tokenizer",
    "google/umt5-small",
    "naver-clova-ix/donut-*",
    "salesforce/blip2-opt-*",
    "salesforce/blip2-flan-t5-*",
    "salesforce/instructblip-flan-t5-*",
    "stepfun-ai/step-3.7-*",
)
"""Repositories whose configs are not believed."""
WITHOUT_TYPE = ("Basic", "Character", "FastSpeech2Conformer", "Mecab", "Pop2Piano", "Wordpiece")
OTHERS = {*WITHOUT_TYPE, *(each.removesuffix("Tokenizer") for each in CLASS_BY_TYPE.values())} - {BASE}
"""Classes, without “Tokenizer”, that the library has; most that are not known here are Python alone."""
ALIASES = {
    **dict.fromkeys(("Bart", "LED", "Longformer", "Mvp"), "Roberta"),
    **dict.fromkeys(("Electra", "LayoutLM", "Lxmert", "MobileBert", "SqueezeBert"), "Bert"),
    "Phi3": "Llama",
}
OTHER_CLASS_BY_TYPE = {"gpt-sw3": "GPT2Tokenizer"}  # through its class for config.json


def class_of(sidecars: SidecarFiles, is_byte_level: bool, repository: str) -> str:
    """The name of the class, BASE where it is the one that takes the file as it stands.

    is_byte_level  "ByteLevel" stands in tokenizer.json
    repository     owner/name, where the folder is a copy of one
    Raises ComponentError where the library fails, or needs code that comes with the model.
    """
    model, config = sidecars.model, sidecars.config
    model_type, model_name = _text(model, "model_type") or "", model.get("model_name")
    named, in_model = _text(config, "tokenizer_class"), _text(model, "tokenizer_class")
    hub, registered = named or in_model, CLASS_BY_TYPE.get(model_type)
    is_wrong = model_type in WRONG_CLASS or (isinstance(model_name, str) and model_name in WRONG_CLASS)
    own_code = _own_code(config.get("auto_map"))
    if own_code is None:
        if any(fnmatchcase(repository.lower(), pattern) for pattern in BASE_FOR):
            return BASE
        if hub and _stem(hub) == "LlamaTokenizer" and not is_wrong and is_byte_level:
            return BASE
        if hub is not None and registered is not None and registered != _stem(hub):
            found = None if registered == BASE else resolved(registered if is_wrong else hub)
            return BASE if found in (None, PYTHON) else str(found)
    elif model_type not in WRONG_CLASS and not _is_known(named, model_type):
        raise ComponentError("comes with a tokenizer_config.json whose auto_map needs the model's own code")
    if named is not None:
        found = resolved(_stem(named))
        return BASE if found in (None, PYTHON) else str(found)
    if in_model:
        found = resolved(in_model)
        if found in (None, PYTHON):
            raise ComponentError(
                f"comes with a config.json that names the unknown class “{quoted(in_model)}”"
            )
        return str(found)
    if model_type == "encoder-decoder":
        model_type = _text(model["encoder"], "model_type") or ""
    if model_type in NOT_CONFIGURED:
        return BASE
    return resolved(OTHER_CLASS_BY_TYPE.get(model_type) or CLASS_BY_TYPE.get(model_type, BASE)) or BASE


def _text(config: Any, key: str) -> str | None:
    value = config.get(key)
    if value is not None and not isinstance(value, str):
        raise ComponentError(f"comes with a config whose {key} is not a name: {quoted(repr(value))}")
    return value


def _own_code(auto_map: Any) -> Any:
    return auto_map.get("AutoTokenizer") if isinstance(auto_map, dict) else auto_map


def _is_known(named: str | None, model_type: str) -> bool:
    has_config = model_type in CLASS_BY_TYPE and model_type not in NOT_CONFIGURED
    return has_config or (named is not None and resolved(_stem(named)) is not None)


def _stem(name: str) -> str:
    return name.removesuffix("Fast")


def resolved(name: str) -> str | None:
    """The class that a name stands for; None where the library has none."""
    stem = _stem(name)
    if name.startswith("DPR") and name != stem:
        return name
    if stem in (BASE, "BloomTokenizer") or name == "PreTrainedTokenizerFast":
        return BASE
    if stem in ("PreTrainedTokenizer", PYTHON):
        return PYTHON
    short = stem.removesuffix("Tokenizer")
    short = ALIASES.get(short, short)
    is_known = short in CLASSES or short in KEEPING or short in OTHERS
    return f"{short}Tokenizer" if is_known and stem.endswith("Tokenizer") else None
