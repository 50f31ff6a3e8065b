/** How each candidate runs, and how the text is read from its output. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import * as bridge from 'llm-bridge'
import { Stream } from 'openai/streaming'
import { DIRECT, WEB } from '../out/bench/peers/candidates.js'
import { createStreamTranslator, translateStream } from '../out/src/index.js'
import { textOfChunks, textOfParts, textOfResponses, textOfUiMessages } from './texts.mjs'

const HEAD = { id: 'resp_0123456789abcdef', createdAt: 1_700_000_000, model: 'bench' }

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

const ofBytes = (textOf) => (chunks) => textOf(Buffer.concat(chunks.map((one) => Buffer.from(one))).toString())

/** millrace, called in two ways. */
export const ownCandidates = (from, pieces) => ({
  [DIRECT]: {
    async run(onChunk) {
      const translator = createStreamTranslator({ from, ...HEAD })
      for (const piece of pieces) onChunk(translator.push(piece))
      onChunk(translator.end())
    },
    textOf: ofBytes(textOfResponses),
  },
  [WEB]: {
    run: (onChunk) => all(translateStream(toWeb(pieces), { from, ...HEAD }), onChunk),
    textOf: ofBytes(textOfResponses),
  },
})

const PARSERS_OF_BRIDGE = {
  'openai-chat': bridge.parseOpenAIStream,
  'anthropic-messages': bridge.parseAnthropicStream,
  'gemini-generate': bridge.parseGoogleStream,
}

const MODELS = {
  'openai-chat': (options) => createOpenAICompatible({ ...options, name: 'x', baseURL: 'http://x' }).chatModel('m'),
  'anthropic-messages': (options) => createAnthropic(options).languageModel('m'),
  'gemini-generate': (options) => createGoogleGenerativeAI(options).languageModel('m'),
}

/** A model of the AI SDK whose `fetch` answers with the stream. */
const modelOf = (wire, pieces) =>
  MODELS[wire]({
    apiKey: 'x',
    fetch: async () => new Response(toWeb(pieces), { headers: { 'content-type': 'text/event-stream' } }),
  })

const PROMPT = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] }

const parsedByAiSdk = (wire, pieces) => ({
  run: async (onChunk) => all((await modelOf(wire, pieces).doStream(PROMPT)).stream, onChunk),
  textOf: textOfParts,
})

const PEERS = {
  'llm-bridge': (wire, pieces) => ({
    run: (onChunk) => all(bridge.emitOpenAIResponsesStream(PARSERS_OF_BRIDGE[wire](toWeb(pieces))), onChunk),
    textOf: ofBytes(textOfResponses),
  }),
  'ai, streamText()': (wire, pieces) => ({
    run: (onChunk) =>
      all(streamText({ model: modelOf(wire, pieces), prompt: 'Hello' }).toUIMessageStreamResponse().body, onChunk),
    textOf: ofBytes(textOfUiMessages),
  }),
  '@ai-sdk/openai-compatible': parsedByAiSdk,
  '@ai-sdk/anthropic': parsedByAiSdk,
  '@ai-sdk/google': parsedByAiSdk,
  openai: (_, pieces) => ({
    run: (onChunk) => all(Stream.fromSSEResponse(new Response(toWeb(pieces)), new AbortController()), onChunk),
    textOf: textOfChunks,
  }),
}

export const peerCandidate = (name, wire, pieces) => PEERS[name](wire, pieces)
