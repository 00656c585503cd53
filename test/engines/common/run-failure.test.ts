import { expect, it } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import { runFailure } from '../../../src/engines/common/run-failure.js';

it.each([
  [
    "failed to call OrtRun(). ERROR_CODE: 2, ERROR_MESSAGE: Non-zero status code returned while running Gather node. Name:'/model/embed_tokens/Gather' Status Message: indices element out of data bounds, idx=99999 must be within the inclusive range [-512,511]",
    /indices element out of data bounds, idx=99999/,
  ],
  [
    'failed to call OrtRun(). ERROR_CODE: 1, ERROR_MESSAGE: /onnxruntime_src/onnxruntime/core/framework/op_kernel.cc:83 OrtValue* onnxruntime::X(int) status.IsOK() was false. Shape mismatch',
    /Shape mismatch/,
  ],
  [
    'failed to call OrtRun(). ERROR_CODE: 2, ERROR_MESSAGE: /mnt/_work/1/s/onnxruntime/core/framework/op_kernel.cc:83 virtual OrtValue *onnxruntime::OpKernelContext::OutputMLValue(int, const TensorShape &) [ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Tensor shape is too large',
    /failed\. Tensor shape is too large$/,
  ],
])('a graph that fails is named, without places in the code of the engine', (message, reason) => {
  const failure = runFailure(new Error(message), { id: 'm' }) as InferenceError;
  expect(failure).toMatchObject({ code: 'model_not_supported', details: { model: 'm', permanent: true } });
  expect(failure.message).toMatch(/^The model `m` cannot answer, because its graph failed\. /);
  expect(failure.message).toMatch(reason);
  expect(failure.message).not.toMatch(/\.cc:\d|OrtRun|onnxruntime|ERROR_/);
});

it.each([new Error('a defect of ours'), new InferenceError('cancelled', 'The request was cancelled.'), 'text'])(
  'other failures stay what they are (%s)',
  (thrown) => {
    expect(runFailure(thrown, { id: 'm' })).toBe(thrown);
  },
);
