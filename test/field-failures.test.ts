import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/**
 * Maps each known failure of other translators and each edge case of recorded streams, by its number in their lists, to
 * the file and the title of a test that covers it.
 */

type Proof = readonly [file: string, name: string]

const chat = (name: string): Proof => ['wires/openai-chat/field-failures.test.ts', name]
const calls = (name: string): Proof => ['wires/openai-chat/field-failures-calls.test.ts', name]
const edge = (name: string): Proof => ['wires/openai-chat/edge-cases.test.ts', name]
const responses = (file: string, name: string): Proof => [`wires/openai-responses/${file}.test.ts`, name]
const anthropic = (file: string, name: string): Proof => [`wires/anthropic-messages/${file}.test.ts`, name]
const gemini = (file: string, name: string): Proof => [`wires/gemini-generate/${file}.test.ts`, name]
const bedrock = (file: string, name: string): Proof => [`wires/bedrock-converse/${file}.test.ts`, name]
const cohere = (file: string, name: string): Proof => [`wires/cohere-chat/${file}.test.ts`, name]
const ollama = (file: string, name: string): Proof => [`wires/ollama-chat/${file}.test.ts`, name]
const host = (file: string, name: string): Proof => [`host/${file}.test.ts`, name]
const law = (file: string, name: string): Proof => [`laws/${file}.test.ts`, name]
const LOOP = host('seven-wires', 'a loop of tools: thoughts, calls and results are back where they belong')

/** A string gives the reason why a failure cannot occur here. */
const FAILURES: Readonly<Record<string, readonly Proof[] | string>> = {
  // A. order and lifecycle
  1: [chat('1, 18, 19: ')],
  2: [chat('2, 5: ')],
  3: [chat('3: ')],
  4: [chat('4, 7: ')],
  5: [chat('2, 5: ')],
  6: [
    gemini('decode', 'pieces of one kind are one item, another kind begins another'),
    law('brackets', 'the events are well bracketed'),
  ],
  7: [chat('4, 7: ')],
  8: [chat('8, 9, 11: ')],
  9: [chat('8, 9, 11: ')],
  10: [chat('10: ')],
  11: [chat('8, 9, 11: ')],
  12: [anthropic('client-law', 'in blocks that never overlap, each thought signed once, and with one ending')],
  13: [anthropic('client-encode', 'begins before anything is said')],
  14: [anthropic('decode', 'calls whose pieces overlap keep their own')],
  15: [chat('15: ')],
  16: [
    ['responses/echo.test.ts', 'tells the defaults of the service'],
    ['responses/grammar.test.ts', 'a key of the response is missing'],
  ],
  // B. indices, ids, terminal snapshot
  17: [chat('17: ')],
  18: [chat('1, 18, 19: ')],
  19: [chat('1, 18, 19: ')],
  20: [responses('items', 'has its parts side by side')],
  21: [chat('21, 22, 23, 24: ')],
  22: [chat('21, 22, 23, 24: ')],
  23: [chat('21, 22, 23, 24: '), responses('items', 'of which the end lists a part, under new ids')],
  24: [chat('21, 22, 23, 24: ')],
  25: [chat('25: ')],
  26: [chat('26: ')],
  27: [responses('items', 'whose text is counted up token by token (vLLM)')],
  // C. tool calls
  28: [calls('28: ')],
  29: [calls('29: ')],
  30: [calls('30: ')],
  31: [calls('31, 34, 36: ')],
  32: [
    calls('32: '),
    gemini('decode', 'of one chunk and of several, of the same function too (field failures 31 to 34)'),
  ],
  33: [calls('33: ')],
  34: [calls('31, 34, 36: ')],
  35: [gemini('decode', 'a call that comes again with its signature is not called again (field failure 35)')],
  36: [calls('31, 34, 36: ')],
  37: [calls('37, 38, 39: ')],
  38: [calls('37, 38, 39: ')],
  39: [
    calls('37, 38, 39: '),
    responses('request', 'a call id that is too long is another, and still the same for call and output'),
  ],
  40: [calls('40: ')],
  41: [calls('41: ')],
  42: [calls('42: ')],
  43: [calls('43, 44: '), anthropic('messages', 'empty arguments')],
  44: [calls('43, 44: ')],
  45: [calls('45: ')],
  46: [calls('46: '), law('streamed-or-whole', 'the answer is the same in $name')],
  47: 'What a model writes into its text is text: a server that does not parse its own calls is not guessed at.',
  48: [
    anthropic('messages', 'an id that it takes not'),
    law('request-shapes', '$name is asked as $wire wants to be asked'),
  ],
  49: [calls('49: ')],
  50: [calls('50: ')],
  // D. empty, null, mixed deltas
  51: [chat('51: ')],
  52: [chat('52: ')],
  53: [chat('53: ')],
  54: [chat('54: ')],
  55: [anthropic('decode', 'a block that begins where an empty text stands is another')],
  56: [
    bedrock('messages', 'empty texts are left out'),
    law('request-shapes', '$name is asked as $wire wants to be asked'),
  ],
  '56b': [chat('56b: '), ollama('decode', 'text after a call is not lost')],
  57: [chat('57: ')],
  // E. finish reasons
  58: [chat('58: ')],
  59: [chat('59: ')],
  60: [gemini('decode', 'a finish with calls is an ordinary one')],
  61: [chat('21, 22, 23, 24: ')],
  62: [chat('62: ')],
  63: [chat('63: ')],
  64: [anthropic('client-encode', "describe('the reason to stop'")],
  65: [gemini('decode', 'the answer after the first finish is heard (edge case 32)')],
  66: [gemini('decode', 'but a last word of the usage, or [DONE], ends it (field failure 66)')],
  67: [gemini('decode', "'SAFETY', 'OTHER', 'A_REASON_OF_TOMORROW'")],
  68: [bedrock('decode', "['max_tokens', 'incomplete', 'max_output_tokens']")],
  // F. termination and errors
  69: [chat('69: '), law('total', 'random bytes, broken off anywhere')],
  70: [edge('18: ')],
  71: [chat('71: ')],
  72: [chat('72: ')],
  73: [gemini('decode', 'fails it, whatever was said before (field failure 73)')],
  74: [chat('74: ')],
  75: [host('failures', 'before it says anything is a 502')],
  76: [host('failures', 'in the middle of a stream ends it as failed on %s')],
  77: [['to-client.test.ts', 'ends once, whatever ends it'], law('damage', 'law 11, damaged streams')],
  78: [gemini('decode', 'but a last word of the usage, or [DONE], ends it (field failure 66)')],
  79: [chat('79: ')],
  // G. bytes
  80: [law('cuts', 'law 5, any cut of the bytes')],
  81: [law('cuts', 'the frames themselves, whatever the line ending')],
  82: [
    law('cuts', 'the frames themselves, whatever the line ending'),
    ['framing/sse.test.ts', 'of anything, wherever it is cut'],
  ],
  83: [chat('83: ')],
  84: [chat('83: ')],
  85: [
    host('clients', 'is filled with comments, between frames and never after the end'),
    host('clients', 'is left alone where comments are turned off'),
  ],
  86: [
    chat('86: '),
    ['framing/long-messages.test.ts', 'read in pieces of a network'],
    law('total', 'an event too large, in pieces'),
  ],
  87: [chat('87: ')],
  88: [['wires/think.test.ts', 'are found wherever the answer is cut']],
  // H. reasoning over stateless turns
  89: [gemini('signatures', 'is excused on the first call of a step, whatever the name of the model: %s')],
  90: [LOOP],
  91: [LOOP],
  92: [
    anthropic('reasoning', 'without words have a signature all the same'),
    gemini('signatures', 'on a thought without words'),
  ],
  93: [gemini('signatures', 'on a whole text')],
  94: [anthropic('reasoning', 'without words have a signature all the same')],
  95: [anthropic('reasoning', 'are sealed as the very block')],
  96: [['responses/envelope.test.ts', 'is not opened by %j'], host('retry', 'is left out, once, and that is told')],
  97: [responses('request', 'asks for an answer that is not stored, and for thoughts that can be sent back')],
  98: [['wires/openai-chat/messages.test.ts', 'go back as %s in a tool loop only']],
  // I. usage
  99: [chat('99: ')],
  100: [anthropic('usage', 'the cache in the delta only')],
  101: [chat('101: ')],
  102: [anthropic('usage', 'cached tokens, read or written, are input')],
  103: [host('stream', 'asks the upstream for a stream, with its own key and never with the client’s')],
  104: [chat('104: '), anthropic('usage', '0 is not unknown')],
  105: [chat('105: ')],
  106: [chat('106: ')],
  // J. citations, outputs of tools, images
  107: [
    chat('107: '),
    gemini('citations', 'marks exactly the words of a segment, wherever they stand and however the text is cut'),
  ],
  108: [anthropic('citations', 'of an unknown kind are lost, and that is told')],
  109: 'A span is what its upstream said it is: OpenAI marks the visible link, and the slice of our text is that link.',
  110: [
    ['wires/openai-chat/messages.test.ts', 'images of tools follow after all tools of the turn'],
    anthropic('messages', 'an image in a result'),
  ],
  // K. transport
  111: [host('clients', '%s lets the upstream go within 100 ms')],
  112: [host('clients', 'is filled with comments, between frames and never after the end')],
  113: [host('clients', 'holds the upstream still, and gets everything when it reads again')],
  114: 'It is a fault of one runtime’s fetch: the host reads its upstreams with undici, and destroys their connection.',
  115: [['streams.test.ts', 'closes the source of who stops early']],
  116: [host('forward', 'is left out where it is too long, and images are never in it')],
  117: 'Nothing is pooled: every answer has a reader and a state of its own.',
}

const EDGE_CASES: Readonly<Record<number, readonly Proof[]>> = {
  ...Object.fromEntries(Array.from({ length: 19 }, (_, i) => [i + 1, [edge(`${i + 1}: `)]])),
  20: [responses('items', 'under a new id with every event (Copilot)')],
  21: [responses('items', 'in pieces, and an empty list at the end (ChatGPT)')],
  22: [responses('items', 'that overlap: thoughts end after the message (OpenRouter)')],
  23: [
    responses('citations', 'without indices stand at their link, else nowhere (xAI)'),
    responses('hosted', 'are searches, never calls: %s'),
  ],
  24: [
    responses('items', 'whole, in arguments.done (LM Studio)'),
    responses('items', 'whole, in output_text.done (LM Studio)'),
  ],
  25: [responses('endings', 'an error and a failed response are one failure')],
  26: [anthropic('decode', 'in message_start are the whole answer')],
  27: [anthropic('usage', 'the delta replaces the start')],
  28: [
    anthropic('citations', 'come before their text, and mark the whole of their block'),
    anthropic('citations', 'share a block'),
  ],
  29: [anthropic('server-tools', 'paused in the midst of a search is not whole')],
  30: [anthropic('decode', 'without content are empty, and filtered')],
  31: [anthropic('decode', 'as another one begins anew: indices start again, and what was open stays as it is')],
  32: [gemini('decode', 'the answer after the first finish is heard (edge case 32)')],
  33: [gemini('decode', 'the last one counts, though it is less (edge case 33)')],
  34: [
    gemini('decode', 'arguments are put together by their paths (edge case 34)'),
    gemini('decode', 'a call without arguments before streamed ones is whole'),
  ],
  35: [gemini('citations', 'counts in UTF-8 bytes through all chunks (edge case 35)')],
  36: [gemini('signatures', 'on the empty part at the end')],
  37: [
    bedrock('decode', 'of text and of thoughts begin without being announced'),
    bedrock('citations', 'before its text is about the whole block, in UTF-16 units of one text'),
    bedrock('decode', 'is not the stop reason: usage follows'),
  ],
  38: [bedrock('decode', 'a guardrail’s trace is passed on to nobody')],
  39: [cohere('decode', '%s %j is a failure')],
  40: [
    ollama('decode', 'arguments come as objects, and are made text once'),
    ollama('decode', 'without ids get ids, each its own'),
    cohere('decode', 'without arguments, by %s'),
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
