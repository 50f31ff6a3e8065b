/**
 * Peers on the same streams, in one process, in turns: how many times as fast as each of them we are.
 *
 *     npm run bench -- --quick      # builds bench/out
 *     npm install --prefix bench/peers && node bench/peers/run.mjs [--json]
 *
 * They are fed Web streams, an event a read, as in production; those that only parse (the SDKs) write no bytes, so they do
 * less than we do. Ours is measured as `translate()`, and beside it as the same through a Web stream.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as bridge from 'llm-bridge'
import { Stream } from 'openai/streaming'
import { longStream } from '../out/bench/inputs.js'
import { ratiosToFirst } from '../out/bench/measure-async.js'
import { DIALECTS } from '../out/src/dialects/registry.js'
import { translate } from '../out/src/engine.js'
import { EMPTY_ECHO } from '../out/src/responses/echo.js'
import { translateStream } from '../out/src/streams.js'
import { WIRES } from '../out/src/wires/registry.js'
import { portkey } from './portkey.mjs'

const ROUNDS = 9
const json = process.argv.includes('--json')
const head = { id: 'resp_0123456789abcdef', created_at: 1_700_000_000, model: 'bench', echo: EMPTY_ECHO }

const toWeb = (pieces) => {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      if (next < pieces.length) controller.enqueue(pieces[next++])
      else controller.close()
    },
  })
}

/** Everything that comes, counted: nobody is measured who says less than the words of the stream. */
async function count(stream, sizeOf) {
  let size = 0
  for await (const one of stream) size += sizeOf(one)
  return size
}

const sizeOfBytes = (bytes) => bytes.length
const sizeOfPart = (part) => (part.type === 'text-delta' ? part.delta.length : 0)
const sizeOfChunk = (chunk) => chunk.choices?.[0]?.delta?.content?.length ?? 0

const answer = (pieces) => async () => new Response(toWeb(pieces), { headers: { 'content-type': 'text/event-stream' } })
const PROMPT = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] }

async function read(model) {
  const { stream } = await model.doStream(PROMPT)
  return count(stream, sizeOfPart)
}

function ours(wire, pieces) {
  const options = { wire: WIRES[wire], dialect: DIALECTS.openai, head }
  return {
    'millrace, translate()': async () => {
      const translation = translate(options)
      let size = 0
      for (const piece of pieces) size += translation.receive(piece).length
      return size + translation.end().length
    },
    'millrace, through a Web stream': () => count(toWeb(pieces).pipeThrough(translateStream(options)), sizeOfBytes),
  }
}

const bridged = (events) => count(bridge.emitOpenAIResponsesStream(events), (one) => one.length)
const compatible = (fetch) => createOpenAICompatible({ name: 'x', baseURL: 'http://x', apiKey: 'x', fetch })

const PEERS = {
  'openai-chat': (pieces) => ({
    'llm-bridge → Responses': () => bridged(bridge.parseOpenAIStream(toWeb(pieces))),
    'openai SDK, parsing only': () =>
      count(Stream.fromSSEResponse(new Response(toWeb(pieces)), new AbortController()), sizeOfChunk),
    'AI SDK openai-compatible, parsing only': () => read(compatible(answer(pieces)).chatModel('m')),
  }),
  'anthropic-messages': (pieces) => ({
    'llm-bridge → Responses': () => bridged(bridge.parseAnthropicStream(toWeb(pieces))),
    'AI SDK anthropic, parsing only': () =>
      read(createAnthropic({ apiKey: 'x', fetch: answer(pieces) }).languageModel('claude-sonnet-4-5')),
  }),
}

function report(wire, peer, ratio) {
  const line = json
    ? JSON.stringify({ case: `${wire} text, event`, node: process.version, ratio: Number(ratio.toFixed(2)), to: peer })
    : `| ${wire} | ${peer} | ${ratio.toFixed(1)} |`
  process.stdout.write(`${line}\n`)
}

const TITLE = `Node ${process.version}; how many times as fast we are; medians\n\n| wire | peer | × |\n|---|---|---|\n`
if (!json) process.stdout.write(TITLE)
for (const [wire, open] of Object.entries(PEERS)) {
  const pieces = longStream(wire, 'text')
  const runs = { ...ours(wire, pieces), ...open(pieces) }
  for (const [name, run] of Object.entries(runs)) {
    const size = await run()
    if (!(size > 3_000)) throw new Error(`${name} says ${size}`)
  }
  const ratios = await ratiosToFirst(runs, ROUNDS)
  for (const [name, ratio] of Object.entries(ratios)) report(wire, name, 1 / ratio)
}
const whole = [Buffer.concat(longStream('anthropic-messages', 'text'))]
const ratio = await portkey(whole[0], ours('anthropic-messages', whole)['millrace, translate()'])
report('anthropic-messages', 'Portkey, its whole server against translate()', ratio)
