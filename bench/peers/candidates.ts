/** The peers, without their packages: these are installed in bench/peers only, where `candidates.mjs` runs them. */

export interface Candidate {
  /** The name on the page, and the word with which `libraries.mjs` is called. */
  readonly name: string
  readonly packages: readonly string[]
  readonly wires: readonly string[]
  readonly writes: string
  /** What millrace does besides. */
  readonly lacks: string
}

export const LIBRARIES: readonly Candidate[] = [
  {
    name: 'llm-bridge',
    packages: ['llm-bridge'],
    wires: ['openai-chat', 'anthropic-messages', 'gemini-generate'],
    writes: 'bytes: a Responses stream',
    lacks: 'no sequence numbers, item ids or parts of contents; the last event has no output',
  },
  {
    name: 'ai, streamText()',
    packages: ['ai', '@ai-sdk/openai-compatible', '@ai-sdk/anthropic', '@ai-sdk/google'],
    wires: ['openai-chat', 'anthropic-messages', 'gemini-generate'],
    writes: 'bytes: its own UI message stream (`toUIMessageStreamResponse()`)',
    lacks: 'another format, without the whole text at the end; it also prepares the call of a model',
  },
  {
    name: '@ai-sdk/openai-compatible',
    packages: ['@ai-sdk/openai-compatible'],
    wires: ['openai-chat'],
    writes: 'objects: parts of the stream (`doStream()`)',
    lacks: 'parses only, writes no bytes',
  },
  {
    name: '@ai-sdk/anthropic',
    packages: ['@ai-sdk/anthropic'],
    wires: ['anthropic-messages'],
    writes: 'objects: parts of the stream (`doStream()`)',
    lacks: 'parses only, writes no bytes',
  },
  {
    name: '@ai-sdk/google',
    packages: ['@ai-sdk/google'],
    wires: ['gemini-generate'],
    writes: 'objects: parts of the stream (`doStream()`)',
    lacks: 'parses only, writes no bytes',
  },
  {
    name: 'openai',
    packages: ['openai'],
    wires: ['openai-chat'],
    writes: 'objects: chunks (`Stream.fromSSEResponse()`)',
    lacks: 'parses only: `JSON.parse` of each chunk, no checks',
  },
]

export const PORTKEY: Candidate = {
  name: '@portkey-ai/gateway',
  packages: ['@portkey-ai/gateway'],
  wires: ['anthropic-messages'],
  writes: 'bytes: chat completions, as a server',
  lacks: 'checks no key, and validates no request; it has no Responses API for this upstream',
}

/** The two ways to call millrace as a library, and its server for two clients. */
export const DIRECT = 'createStreamTranslator()'
export const WEB = 'translateStream()'
export const SERVER_CHAT = 'the server to chat'
export const SERVER_RESPONSES = 'the server to Responses'

export const peerCase = (wire: string, own: string, peer: string): string => `${wire}, ${own} against ${peer}`

export interface PeerCase {
  readonly label: string
  readonly name: string
}

/** The cases of the picture: millrace called as its peer is, with Web streams, or as a server. */
export const peerCases = (): readonly PeerCase[] => [
  ...LIBRARIES.flatMap(({ name, wires }) =>
    wires.map((wire) => ({ label: `${name}, ${wire}`, name: peerCase(wire, WEB, name) })),
  ),
  { label: `${PORTKEY.name}, anthropic`, name: peerCase('anthropic-messages', SERVER_CHAT, PORTKEY.name) },
]
