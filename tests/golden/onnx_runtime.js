#!/usr/bin/env node
// Compares the outputs of onnx_*.onnx by ONNX Runtime, in float, with PyTorch's in onnx_*.safetensors, in double:
//
//   GAUNTLET_ONNXRUNTIME=DIR node tests/golden/onnx_runtime.js
//
// DIR has node_modules/onnxruntime-node (npm install --ignore-scripts --prefix DIR onnxruntime-node). Prints the
// relative error of each network; exit code 1 if one is above 1e-5, the limit of tests/unit/test_golden.c.
const fs = require("fs"), path = require("path");
const runtime = require(path.resolve(process.env.GAUNTLET_ONNXRUNTIME, "node_modules", "onnxruntime-node"));

const shapes = { plain: [3, 32, 32], residual: [3, 16, 16], branches: [2, 16, 9] }, batch = 2, most = 1e-5;

// tests/formula.h
function unit(stream, i) {
    const mask = (1n << 64n) - 1n;
    let z = ((BigInt(stream) << 40n) + BigInt(i) + 0x9e3779b97f4a7c15n) & mask;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return Number((z ^ (z >> 31n)) >> 40n) * 2 ** -23 - 1;
}

function tensors(file) {
    const bytes = fs.readFileSync(file), head = Number(bytes.readBigUInt64LE(0));
    const names = JSON.parse(bytes.toString("utf8", 8, 8 + head));
    return (name) => bytes.subarray(8 + head + names[name].data_offsets[0], 8 + head + names[name].data_offsets[1]);
}

async function compare(name) {
    const golden = tensors(path.join(__dirname, `onnx_${name}.safetensors`));
    const session = await runtime.InferenceSession.create(path.join(__dirname, `onnx_${name}.onnx`));
    const stream = golden("stream").readBigInt64LE(0), logits = golden("logits");
    const n = shapes[name].reduce((a, b) => a * b);
    let off = 0, size = 0;
    for (let row = 0; row < batch; row++) {
        const x = Float32Array.from({ length: n }, (_, i) => unit(stream, row * n + i) / 2 + 0.5);
        const out = await session.run({ x: new runtime.Tensor("float32", x, [1, ...shapes[name]]) });
        const y = out[session.outputNames[0]].data;
        for (let i = 0; i < y.length; i++) {
            const b = logits.readDoubleLE(8 * (row * y.length + i));
            off += (y[i] - b) ** 2;
            size += b ** 2;
        }
    }
    const error = Math.sqrt(off / size);
    console.log(`${name} ${error.toExponential(1)}`);
    return error <= most;
}

(async () => {
    let all = true;
    for (const name in shapes)
        all = (await compare(name)) && all;
    process.exit(all ? 0 : 1);
})();
