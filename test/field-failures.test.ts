import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/**
 * Maps each known failure of other translators and each edge case of recorded streams, by its number in their lists, to
 * the file and the title of a test that covers it.
 */

type Proof = readonly [file: string, name: string]

/** A file of rows, each of which is a test with its title. */
const rows = (file: string, name: string): Proof => [`wires/${file}.ts`, name]
const chat = (name: string): Proof => ['wires/openai-chat/upstream/field-failures.test.ts', name]
const edge = (name: string): Proof => ['wires/openai-chat/upstream/edge-cases.test.ts', name]
const responses = (file: string, name: string): Proof => [`wires/openai-responses/${file}.test.ts`, name]
const anthropic = (file: string, name: string): Proof => [`wires/anthropic-messages/${file}.test.ts`, name]
const gemini = (file: string, name: string): Proof => [`wires/gemini-generate/${file}.test.ts`, name]
const bedrock = (file: string, name: string): Proof => [`wires/bedrock-converse/${file}.test.ts`, name]
const cohere = (file: string, name: string): Proof => [`wires/cohere-chat/${file}.test.ts`, name]
const ollama = (file: string, name: string): Proof => [`wires/ollama-chat/${file}.test.ts`, name]
const host = (file: string, name: string): Proof => [`host/${file}.test.ts`, name]
const law = (file: string, name: string): Proof => [`laws/${file}.test.ts`, name]
const LOOP = host(
  'clients/seven-wires',
  'completes a loop of tools: reasoning, calls and outputs return in their places',
)

/** A string gives the reason why a failure cannot occur here. */
const FAILURES: Readonly<Record<string, readonly Proof[] | string>> = {
  // A. order and lifecycle
  1: [chat('1, 18, 19: ')],
  2: [chat('2, 5: ')],
  3: [chat('3: ')],
  4: [chat('4, 7: ')],
  5: [chat('2, 5: ')],
  6: [
    gemini('upstream/stream', 'are one item as long as their kind is the same, and another item for another kind'),
    law('brackets', 'produces well-bracketed events for any deltas'),
  ],
  7: [chat('4, 7: ')],
  8: [chat('8, 9, 11: ')],
  9: [chat('8, 9, 11: ')],
  10: [chat('10: ')],
  11: [chat('8, 9, 11: ')],
  12: [
    anthropic('client/laws', 'has blocks that never overlap, one signature for each reasoning block, and one ending'),
  ],
  13: [anthropic('client/stream', 'begins with message_start before any content')],
  14: [anthropic('upstream/stream', 'keep their own arguments if calls overlap')],
  15: [chat('15: ')],
  16: [
    ['responses/echo.test.ts', 'contains the defaults of an empty request'],
    ['conformance/check.test.ts', 'a key of the response is missing'],
  ],
  // B. indices, ids, terminal snapshot
  17: [chat('17: ')],
  18: [chat('1, 18, 19: ')],
  19: [chat('1, 18, 19: ')],
  20: [responses('upstream/items', 'keeps its text and refusal parts in their order')],
  21: [chat('21, 22, 23, 24: ')],
  22: [chat('21, 22, 23, 24: ')],
  23: [
    chat('21, 22, 23, 24: '),
    responses('upstream/items', 'are not repeated if the end lists a part of them under new ids'),
  ],
  24: [chat('21, 22, 23, 24: ')],
  25: [chat('25: ')],
  26: [chat('26: ')],
  27: [responses('upstream/items', 'whose text is counted up token by token (vLLM)')],
  // C. tool calls
  28: [chat('28: ')],
  29: [chat('29: ')],
  30: [chat('30: ')],
  31: [chat('31, 34, 36: ')],
  32: [
    chat('32: '),
    gemini(
      'upstream/stream',
      'stay apart in one chunk and in several, even calls of one function (field failures 31 to 34)',
    ),
  ],
  33: [chat('33: ')],
  34: [chat('31, 34, 36: ')],
  35: [gemini('upstream/stream', 'are not repeated if a call comes again with its signature (field failure 35)')],
  36: [chat('31, 34, 36: ')],
  37: [chat('37, 38, 39: ')],
  38: [chat('37, 38, 39: ')],
  39: [
    chat('37, 38, 39: '),
    responses('upstream/request', 'has a shorter call id, the same for call and output, if the id is too long'),
  ],
  40: [chat('40: ')],
  41: [chat('41: ')],
  42: [chat('42: ')],
  43: [chat('43, 44: '), rows('anthropic-messages/upstream/messages', 'empty arguments')],
  44: [chat('43, 44: ')],
  45: [chat('45: ')],
  46: [chat('46: '), law('streamed-or-whole', 'collects the same answer from the stream and from the body in $name')],
  47: 'What a model writes into its text is text: a server that does not parse its own calls is not guessed at.',
  48: [
    rows('anthropic-messages/upstream/messages', 'an invalid id is replaced'),
    law('request-shapes', 'requests to $name fit the schema and the message order of $wire'),
  ],
  49: [chat('49: ')],
  50: [chat('50: ')],
  // D. empty, null, mixed deltas
  51: [chat('51: ')],
  52: [chat('52: ')],
  53: [chat('53: ')],
  54: [chat('54: ')],
  55: [anthropic('upstream/stream', 'may start at the index of an empty text')],
  56: [
    rows('bedrock-converse/upstream/messages', 'empty texts are left out'),
    law('request-shapes', 'requests to $name fit the schema and the message order of $wire'),
  ],
  '56b': [chat('56b: '), ollama('upstream/stream', 'continue after a call as another message')],
  57: [chat('57: ')],
  // E. finish reasons
  58: [chat('58: ')],
  59: [chat('59: ')],
  60: [gemini('upstream/stream', 'complete the response if the finish reason is an ordinary one')],
  61: [chat('21, 22, 23, 24: ')],
  62: [chat('62: ')],
  63: [chat('63: ')],
  64: [anthropic('client/stream', 'is tool_use after a call')],
  65: [gemini('upstream/stream', 'continue after the first finish reason (edge case 32)')],
  66: [
    gemini('upstream/stream', 'needs no reason if a last chunk has the usage (field failure 66)'),
    gemini('upstream/stream', 'needs no reason if the terminator [DONE] follows the usage (field failure 66)'),
  ],
  67: [gemini('upstream/stream', "'SAFETY', 'OTHER', 'A_REASON_OF_TOMORROW'")],
  68: [bedrock('upstream/stream', "ends('max_tokens', LIMIT)")],
  // F. termination and errors
  69: [chat('69: '), law('never-throws', 'ends once for random bytes that break off anywhere')],
  70: [edge('18: ')],
  71: [chat('71: ')],
  72: [chat('72: ')],
  73: [
    gemini(
      'upstream/stream',
      'is a failure after an error inside a 200, alone or in a list, and after any content (field failure 73)',
    ),
  ],
  74: [chat('74: ')],
  75: [host('upstream/failures', 'before its first byte causes a 502')],
  76: [host('upstream/failures', 'in the middle of a stream ends it as failed on %s')],
  77: [
    ['engine/client-target.test.ts', 'ends once for an error, and ignores later input'],
    law('corrupt-streams', 'law 11, damaged fixture streams'),
  ],
  78: [gemini('upstream/stream', 'needs no reason if a last chunk has the usage (field failure 66)')],
  79: [chat('79: ')],
  // G. bytes
  80: [law('cuts', 'law 5, arbitrary cuts of the bytes')],
  81: [law('cuts', 'give the same SSE frames with every line ending')],
  82: [
    law('cuts', 'give the same SSE frames with every line ending'),
    ['framing/sse.test.ts', 'returns the same frames for any text, wherever it is cut'],
  ],
  83: [chat('83: ')],
  84: [chat('83: ')],
  85: [
    host('clients/clients', 'is filled with keep-alive comments, between frames and never after the end'),
    host('clients/clients', 'has no comments if keep_alive_seconds is 0'),
  ],
  86: [
    chat('86: '),
    ['framing/long-messages.test.ts', 'the reader of %s takes linear time for a long message: %s'],
    law('never-throws', 'an event too large, in pieces'),
  ],
  87: [chat('87: ')],
  88: [['wires/shared/think-tags.test.ts', 'is found wherever the answer is cut']],
  // H. reasoning over stateless turns
  89: [gemini('upstream/thought-signatures', 'have a marker on the first call of a step for any name of a model: %s')],
  90: [LOOP],
  91: [LOOP],
  92: [
    anthropic('upstream/reasoning', 'keeps its signature even without text'),
    gemini('upstream/thought-signatures', 'on reasoning without text'),
  ],
  93: [gemini('upstream/thought-signatures', 'on a whole text')],
  94: [anthropic('upstream/reasoning', 'keeps its signature even without text')],
  95: [anthropic('upstream/reasoning', 'is sealed as its original block')],
  96: [
    ['responses/encrypted-content.test.ts', 'is not opened for another origin: %j'],
    host('upstream/retry', 'is left out of one further attempt, and reported as a loss'),
  ],
  97: [
    rows(
      'openai-responses/upstream/requests',
      'requests an answer that is not stored and encrypted reasoning that can be sent back',
    ),
  ],
  98: [rows('openai-chat/upstream/messages', ' in a tool loop only')],
  // I. usage
  99: [chat('99: ')],
  100: [anthropic('upstream/usage', 'counts what the cache had once where the start counts the whole prompt')],
  101: [chat('101: ')],
  102: [anthropic('upstream/usage', 'cached tokens, read or written, are input')],
  103: [host('server/stream', "is requested from the upstream with the vendor's key, and never with the client’s")],
  104: [chat('104: '), anthropic('upstream/usage', '0 is not unknown')],
  105: [chat('105: ')],
  106: [chat('106: ')],
  // J. citations, outputs of tools, images
  107: [
    chat('107: '),
    gemini('upstream/citations', 'cites exactly the text of a segment at any position, however the text is cut'),
  ],
  108: [anthropic('upstream/citations', 'are dropped with a loss if their kind is unknown')],
  109: 'A span is what its upstream said it is: OpenAI marks the visible link, and the slice of our text is that link.',
  110: [
    rows('openai-chat/upstream/messages', 'images of tools follow after all tools of the turn'),
    rows('anthropic-messages/upstream/messages', 'an image in a result'),
  ],
  // K. transport
  111: [host('clients/clients', '%s has its upstream connection closed')],
  112: [host('clients/clients', 'is filled with keep-alive comments, between frames and never after the end')],
  113: [host('clients/clients', 'pauses the upstream, and receives everything when it reads again')],
  114: 'It is a fault of one runtime’s fetch: the host reads its upstreams with undici, and destroys their connection.',
  115: [['api/streams.test.ts', 'closes the source if the consumer stops early']],
  116: [host('telemetry/forward', 'is left out of a span if it is too long, and never contains image data')],
  117: 'Nothing is pooled: every answer has a reader and a state of its own.',
}

const EDGE_CASES: Readonly<Record<number, readonly Proof[]>> = {
  ...Object.fromEntries(Array.from({ length: 19 }, (_, i) => [i + 1, [edge(`${i + 1}: `)]])),
  20: [responses('upstream/items', 'under a new id with every event (Copilot)')],
  21: [responses('upstream/items', 'in pieces, and an empty list at the end (ChatGPT)')],
  22: [responses('upstream/items', 'may overlap: reasoning ends after the message (OpenRouter)')],
  23: [
    responses('upstream/citations', 'have the span of their link if they have no indices, or an empty span (xAI)'),
    responses('upstream/server-tools', 'are decoded as searches, never as calls'),
  ],
  24: [
    responses('upstream/items', 'whole, in arguments.done (LM Studio)'),
    responses('upstream/items', 'whole, in output_text.done (LM Studio)'),
  ],
  25: [responses('upstream/terminal', 'is one failure if both an error and a failed response arrive')],
  26: [anthropic('upstream/stream', 'are read from message_start if it contains the whole answer')],
  27: [anthropic('upstream/usage', 'the delta replaces the start')],
  28: [
    anthropic('upstream/citations', 'have the span of their whole block if they arrive before its text'),
    anthropic('upstream/citations', 'share a block'),
  ],
  29: [anthropic('upstream/server-tools', 'are incomplete if the answer was paused during a search')],
  30: [anthropic('upstream/stream', 'have no output and are filtered if they have no content')],
  31: [anthropic('upstream/stream', 'begins a new answer with new indices and leaves open blocks incomplete')],
  32: [gemini('upstream/stream', 'continue after the first finish reason (edge case 32)')],
  33: [gemini('upstream/stream', 'is that of the last chunk, even if it is less (edge case 33)')],
  34: [
    gemini('upstream/stream', 'have arguments assembled by their paths (edge case 34)'),
    gemini('upstream/stream', 'are complete without arguments before a call with streamed arguments'),
  ],
  35: [gemini('upstream/citations', 'has spans counted in UTF-8 bytes through all chunks (edge case 35)')],
  36: [gemini('upstream/thought-signatures', 'on the empty part at the end')],
  37: [
    bedrock('upstream/stream', 'begin without an announcement if they contain text or reasoning'),
    bedrock('upstream/citations', 'cites the whole block, in UTF-16 units of one text, if it precedes the text'),
    bedrock('upstream/stream', 'is not the stop reason, because usage follows'),
  ],
  38: [bedrock('upstream/stream', 'never contains the trace of a guardrail')],
  39: [cohere('upstream/stream', 'is a failure with the finish reason ')],
  40: [
    ollama('upstream/stream', 'have arguments that arrive as an object and are encoded as JSON once'),
    ollama('upstream/stream', 'have ids of their own if the upstream sends none'),
    cohere('upstream/stream', 'have {} as arguments if the upstream sends null'),
  ],
}

const textOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')
const EVERY = [...Array.from({ length: 117 }, (_, i) => `${i + 1}`), '56b']

describe('known failures of other translators', () => {
  it('have an entry for every number of the list', () => {
    expect(Object.keys(FAILURES).sort()).toEqual([...EVERY].sort())
  })

  it.each(Object.entries(FAILURES))('are covered by existing tests: failure %s', (_, proofs) => {
    if (typeof proofs === 'string') expect(proofs.length).toBeGreaterThan(20)
    else for (const [file, name] of proofs) expect(textOf(file)).toContain(name)
  })
})

describe('edge cases of recorded streams', () => {
  it('have an entry for each of the forty cases', () => {
    expect(Object.keys(EDGE_CASES)).toHaveLength(40)
  })

  it.each(Object.entries(EDGE_CASES))('are covered by existing tests: edge case %s', (_, proofs) => {
    for (const [file, name] of proofs) expect(textOf(file)).toContain(name)
  })
})
