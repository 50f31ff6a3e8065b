import { openai } from '../../../src/dialects/openai.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { geminiGenerate } from '../../../src/wires/gemini-generate/index.ts'
import { decodeStream } from '../../../src/wires/gemini-generate/upstream/stream.ts'
import { collected, eventsOf, optionsOf, toBytes, translated } from '../../engine/run-engine.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'
import { answersOf } from '../answer-cases.ts'

/** Chunks in the format of Google. */
export const chunk = (parts: readonly unknown[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
})
export const stop = { finishReason: 'STOP' }
export const end = chunk([{ text: '' }], stop)
export const text = (content: string, more: object = {}) => ({ text: content, ...more })
export const reasoningPart = (content: string, more: object = {}) => ({ text: content, thought: true, ...more })
export const call = (name: string, args?: object, more: object = {}) => ({
  functionCall: { name, ...(args === undefined ? {} : { args }) },
  ...more,
})
export const signed = (thoughtSignature: string) => ({ thoughtSignature })
export const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } }
export const result = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } }

/** Tests answers, each of which is also a body: the list of its chunks. */
export const answers = answersOf({ wire: geminiGenerate, bodyOf: (stream) => stream })

export const deltasOf = (chunks: readonly unknown[]): readonly Delta[] =>
  run(
    decodeStream(),
    chunks.map((one) => ({ event: '', data: JSON.stringify(one) })),
  )

const options = optionsOf(openai, {}, 'x', geminiGenerate)

const bytesOf = (chunks: readonly unknown[]) => [
  toBytes(chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join('')),
]

export const eventsFor = (chunks: readonly unknown[]): readonly JsonObject[] =>
  eventsOf(translated(options, bytesOf(chunks)))

/** Returns the items of these chunks; `Loose`, because tests only read them. */
export const output = (chunks: readonly unknown[]): readonly Loose[] =>
  collected(options, bytesOf(chunks)).output as Loose
