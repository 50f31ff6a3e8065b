import { GATEWAYS, type Pair } from '../conformance/gateways.ts'

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

/** What servers are compared with, of the gateways that `bench/conformance` starts. */
export interface ServerPeer {
  readonly name: string
  /** Of bench/peers; none for a program that must be installed. */
  readonly packages: readonly string[]
  /** What millrace does besides. */
  readonly lacks: string
}

export const SERVER_PEERS: readonly ServerPeer[] = [
  {
    name: 'Portkey',
    packages: ['@portkey-ai/gateway'],
    lacks: 'checks no key, and validates no request; it has no Responses API for these upstreams',
  },
  { name: '@musistudio/llms', packages: ['@musistudio/llms'], lacks: 'checks no key, and validates no request' },
  { name: 'LiteLLM', packages: [], lacks: '' },
  { name: 'Bifrost', packages: [], lacks: '' },
]

type ComparedPair = Pick<Pair, 'protocol' | 'upstream'>

const isCompared = ({ protocol, upstream }: ComparedPair): boolean =>
  (protocol === 'chat' || (protocol === 'messages' && upstream !== 'anthropic-messages')) &&
  ['openai-chat', 'anthropic-messages', 'gemini-generate'].includes(upstream)

/** Pairs that translate, for a client of chat completions or Messages. */
export const comparedPairs = ({ pairs }: { readonly pairs: readonly Pair[] }): readonly Pair[] =>
  pairs.filter(isCompared)

export const serverCase = ({ protocol, upstream }: ComparedPair, peer: string): string =>
  `${upstream} to ${protocol}, the server against ${peer}`

/** The two ways to call millrace as a library. */
export const DIRECT = 'createStreamTranslator()'
export const WEB = 'translateStream()'

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
  ...GATEWAYS.filter(({ name }) => SERVER_PEERS.some((peer) => peer.name === name)).flatMap((gateway) =>
    comparedPairs(gateway).map((pair) => ({
      label: `${gateway.name}, ${pair.upstream} to ${pair.protocol}`,
      name: serverCase(pair, gateway.name),
    })),
  ),
]
