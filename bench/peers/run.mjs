/**
 * Compares millrace with other libraries on the same streams, in one process, in turns: how many times as fast it is.
 *
 *     npx tsc -p tsconfig.bench.json
 *     npm ci --ignore-scripts --prefix bench/peers && node bench/peers/run.mjs [--json]
 *
 * The peers are dependencies of this package alone. Each candidate gets the same stream, one event a read, and is
 * measured only if its output has the stream's text. Peers read Web streams, as in production. Two candidates are
 * millrace's: `createStreamTranslator()`, which needs no stream, and `translateStream()`, which reads what the peers
 * read. Peers that only parse (the SDKs) write no bytes, which is less work. `--json`: {"case","node","ratio","to"}, one object a line.
 */
import assert from 'node:assert/strict'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as bridge from 'llm-bridge'
import { Stream } from 'openai/streaming'
import { longStream } from '../out/bench/inputs.js'
import { ratiosToFirst } from '../out/bench/measure.js'
import { createStreamTranslator, translateStream } from '../out/src/index.js'
import { portkey } from './portkey.mjs'
import { wordsOfResponses, wordsSent } from './words.mjs'

const ROUNDS = 15
const json = process.argv.includes('--json')
const head = { id: 'resp_0123456789abcdef', createdAt: 1_700_000_000, model: 'bench' }

const toWeb = (pieces) => {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      if (next < pieces.length) controller.enqueue(pieces[next++])
      else controller.close()
    },
  })
}

async function all(stream, onChunk) {
  for await (const one of stream) onChunk(one)
}

const textOf = (bytes) => Buffer.concat(bytes.map((one) => Buffer.from(one))).toString()
const wordsOfBytes = (chunks) => wordsOfResponses(textOf(chunks))
const wordsOfParts = (chunks) => chunks.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')
const wordsOfChunks = (chunks) => chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join('')

// ---------------------------------------------------------------- candidates: how to run each, and the text of its
// output

const DIRECT = 'createStreamTranslator()'
const WEB = 'translateStream()'
const OURS = [DIRECT, WEB]

function ours(from, pieces) {
  const options = { from, ...head }
  return {
    [DIRECT]: {
      async run(onChunk) {
        const translator = createStreamTranslator(options)
        for (const piece of pieces) onChunk(translator.push(piece))
        onChunk(translator.end())
      },
      words: wordsOfBytes,
    },
    [WEB]: { run: (onChunk) => all(translateStream(toWeb(pieces), options), onChunk), words: wordsOfBytes },
  }
}

const bridged = (parse) => ({
  run: (onChunk) => all(bridge.emitOpenAIResponsesStream(parse()), onChunk),
  words: wordsOfBytes,
})

const PROMPT = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] }

const aiSdk = (pieces, toModel) => {
  const fetch = async () => new Response(toWeb(pieces), { headers: { 'content-type': 'text/event-stream' } })
  const model = toModel({ apiKey: 'x', fetch })
  return { run: async (onChunk) => all((await model.doStream(PROMPT)).stream, onChunk), words: wordsOfParts }
}

const openaiSdk = (pieces) => ({
  run: (onChunk) => all(Stream.fromSSEResponse(new Response(toWeb(pieces)), new AbortController()), onChunk),
  words: wordsOfChunks,
})

const PEERS = {
  'openai-chat': (pieces) => ({
    'llm-bridge, to Responses': bridged(() => bridge.parseOpenAIStream(toWeb(pieces))),
    'openai SDK, parsing only': openaiSdk(pieces),
    '@ai-sdk/openai-compatible, parsing only': aiSdk(pieces, (options) =>
      createOpenAICompatible({ ...options, name: 'x', baseURL: 'http://x' }).chatModel('m'),
    ),
  }),
  'anthropic-messages': (pieces) => ({
    'llm-bridge, to Responses': bridged(() => bridge.parseAnthropicStream(toWeb(pieces))),
    '@ai-sdk/anthropic, parsing only': aiSdk(pieces, (options) => createAnthropic(options).languageModel('m')),
  }),
}

// ---------------------------------------------------------------- the whole run

function report(what, ratio, to) {
  const line = json
    ? JSON.stringify({ case: what, node: process.version, ratio: Number(ratio.toFixed(2)), to })
    : `| ${what} | ${to} | ${ratio.toFixed(1)} |`
  process.stdout.write(`${line}\n`)
}

async function check(name, { run, words }, sent) {
  const chunks = []
  await run((one) => void chunks.push(one))
  assert.ok(words(chunks) === sent, `${name} says other words`)
}

if (!json) {
  process.stdout.write(`Node ${process.version}; how many times as fast we are; medians\n\n`)
  process.stdout.write('| what | than | × |\n|---|---|---|\n')
}
for (const [wire, open] of Object.entries(PEERS)) {
  const pieces = longStream(wire, 'text')
  const sent = wordsSent(wire, pieces)
  const candidates = { ...ours(wire, pieces), ...open(pieces) }
  for (const [name, one] of Object.entries(candidates)) await check(name, one, sent)
  const deaf = () => {}
  const runs = Object.entries(candidates).map(([name, { run }]) => [name, () => run(deaf)])
  // `ratiosToFirst` compares with the first candidate, which is `createStreamTranslator()`.
  const ratios = { [DIRECT]: 1, ...(await ratiosToFirst(Object.fromEntries(runs), ROUNDS)) }
  for (const peer of Object.keys(candidates).filter((name) => !OURS.includes(name))) {
    for (const own of OURS) report(`${wire} text, ${own}`, ratios[own] / ratios[peer], peer)
  }
}
const pieces = longStream('anthropic-messages', 'text')
const sent = wordsSent('anthropic-messages', pieces)
const servers = await portkey(Buffer.concat(pieces), sent)
report('anthropic-messages text, the server, to chat', servers.chat, '@portkey-ai/gateway, to chat')
report('anthropic-messages text, the server, to Responses', servers.responses, '@portkey-ai/gateway, to chat')
