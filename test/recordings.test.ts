import { afterAll, describe, expect, it } from 'vitest'
import { checkStream } from '../src/dialects/check-stream.ts'
import { DIALECTS } from '../src/dialects/registry.ts'
import type { TranslationOptions } from '../src/engine/answer.ts'
import { translateWholeBody } from '../src/engine/body-collector.ts'
import { createTranslation, streamWholeBody } from '../src/engine/translation.ts'
import type { Frame } from '../src/framing/frame.ts'
import type { JsonObject } from '../src/protocol/json.ts'
import { parseJson } from '../src/text/json.ts'
import type { KnownWire, WireName } from '../src/wires/contract.ts'
import { detectWire } from '../src/wires/detect-wire.ts'
import type { Quirks } from '../src/wires/quirks.ts'
import { slices } from './arbitraries/bytes.ts'
import { collected, optionsOf, toBytes, translated } from './engine/run-engine.ts'
import { RECORDED, RECORDED_STREAMS, RECORDINGS_DIR, readRecorded } from './recordings.ts'
import { readMessages } from './reference-readers/anthropic-messages.ts'
import { readConverse } from './reference-readers/bedrock-converse.ts'
import { readCohere } from './reference-readers/cohere-chat.ts'
import { readGemini } from './reference-readers/gemini-generate.ts'
import { readOllama } from './reference-readers/ollama-chat.ts'
import { readChat } from './reference-readers/openai-chat.ts'
import { readResponses } from './reference-readers/openai-responses.ts'
import type { Loose, ReadAnswer } from './reference-readers/read-stream.ts'
import { withKits } from './wires/with-kits.ts'

/** Recorded answers of real vendors. */
const BODIES = RECORDED.filter(({ kind, status }) => kind === 'body' && status === 200)
const FAILURES = RECORDED.filter(({ status }) => status >= 400)
const ALL_DIALECTS = Object.values(DIALECTS)

// ---------------------------------------------------------------- the text of the recordings

/** Independent reference readers. */
const READERS: Readonly<Record<WireName, (frames: readonly Frame[]) => ReadAnswer>> = withKits(
  {
    'openai-chat': readChat,
    'cohere-chat': readCohere,
    'ollama-chat': readOllama,
    'bedrock-converse': readConverse,
    'anthropic-messages': readMessages,
    'gemini-generate': readGemini,
    'openai-responses': readResponses,
  },
  ({ read }) => read,
)

/** Returns the text of the messages and the reasoning of the answer. */
function wordsOf(response: JsonObject): ReadAnswer {
  const output = response.output as readonly Loose[]
  const textOf = (parts: readonly Loose[] | undefined): string =>
    (parts ?? []).map((part) => (typeof part === 'string' ? part : (part.text ?? part.refusal ?? ''))).join('')
  const join = (type: string, take: (item: Loose) => string): string =>
    output.flatMap((item) => (item.type === type ? [take(item)] : [])).join('')
  return {
    text: join('message', (item) => textOf(item.content)),
    reasoning: join('reasoning', (item) => textOf(item.summary) + textOf(item.content)),
  }
}

const bare = (text: string): string => text.replace(/<\/?think>|\s/g, '')

function expectWords(
  response: JsonObject,
  wire: KnownWire,
  frames: readonly Frame[],
  { thinkTags = false }: Quirks,
): void {
  const reference = READERS[wire.name](frames)
  const translation = wordsOf(response)
  if (!thinkTags) {
    expect(translation.text).toBe(reference.text)
    if (reference.reasoning !== '') expect(translation.reasoning).toBe(reference.reasoning)
    return
  }
  // Reasoning may have moved out of the text, without the white space around it.
  expect(bare(translation.text).length + bare(translation.reasoning).length).toBe(
    bare(reference.text).length + bare(reference.reasoning).length,
  )
  expect(bare(reference.text).endsWith(bare(translation.text))).toBe(true)
}

// ---------------------------------------------------------------- tests of the recordings

if (RECORDED.length === 0) {
  it('recordings are in the folder that RECORDINGS_DIR names', ({ skip }) =>
    skip(`There are no recordings in ${RECORDINGS_DIR}: set RECORDINGS_DIR to a folder that has some.`))
}

/** Counts the chunks of each wire on the fast path. */
const shares = new Map<string, { received: number; fast: number }>()

/** Checks that both paths write the same bytes. */
function expectFastIsSlow(wire: KnownWire, options: TranslationOptions, bytes: Uint8Array, whole: string): void {
  const { template: _, ...slow } = wire
  expect(translated({ ...options, wire: slow }, [bytes]) === whole).toBe(true)
  const stream = createTranslation(options)
  for (const piece of slices(bytes, 1400)) stream.push(piece)
  stream.push('end')
  const { received, fast } = stream.outcome().chunks
  const share = shares.get(wire.name) ?? { received: 0, fast: 0 }
  shares.set(wire.name, { received: share.received + received, fast: share.fast + fast })
}

afterAll(() => {
  for (const [wire, { received, fast }] of shares) {
    process.stdout.write(`${wire}: ${fast} of ${received} recorded chunks took the fast path\n`)
  }
})

describe.runIf(RECORDED_STREAMS.length > 0)('recorded streams of vendors', () => {
  it.each(RECORDED_STREAMS)('are translated without violations or lost text: $file', ({ file, wire, quirks }) => {
    const bytes = readRecorded(file)
    const reader = wire.framing.open(1 << 26)
    const frames = [...reader.push(bytes), ...reader.end()]
    for (const dialect of ALL_DIALECTS) {
      const options = optionsOf(dialect, quirks, 'x', wire)
      const whole = translated(options, [bytes])
      expect(checkStream(whole, dialect)).toEqual([])
      for (const size of [1, 7, 1000]) expect(translated(options, slices(bytes, size)) === whole).toBe(true)
      expectFastIsSlow(wire, options, bytes, whole)
      const response = collected(options, [bytes])
      expect(collected(options, slices(bytes, 7))).toEqual(response)
      expectWords(response, wire, frames, quirks)
    }
  })
})

describe.runIf(BODIES.length > 0)('recorded bodies of vendors', () => {
  it.each(BODIES)('are translated to a body and a stream without lost text: $file', ({ file, wire, quirks }) => {
    const body = new TextDecoder().decode(readRecorded(file))
    for (const dialect of ALL_DIALECTS) {
      const options = optionsOf(dialect, quirks, 'x', wire)
      const { body: response, outcome } = translateWholeBody(options, body)
      expect(response.status).toBe(outcome.status)
      expect(checkStream(new TextDecoder().decode(streamWholeBody(options, body).bytes), dialect)).toEqual([])
      if (!Array.isArray(parseJson(body))) expectWords(response, wire, [{ event: '', data: body }], quirks)
    }
  })
})

describe.runIf(FAILURES.length > 0)('recorded failures of vendors', () => {
  it.each(FAILURES)('have a message and a code: $file', ({ file, wire, status }) => {
    const error = wire.decodeError(status, {}, new TextDecoder().decode(readRecorded(file)))
    expect(error.message.trim()).not.toBe('')
    expect(error.code).not.toBe('')
    expect(toBytes(error.message).length).toBeGreaterThan(3)
  })
})

describe.runIf(RECORDED.length > 0)('detectWire', () => {
  it('detects the wire of every recorded answer', () => {
    const answers = RECORDED.filter(({ status }) => status === 200)
    const missed = answers.filter(({ file, wire }) => detectWire(readRecorded(file)) !== wire.name)
    process.stdout.write(`detectWire: ${answers.length - missed.length} of ${answers.length} recorded answers\n`)
    expect(missed.map(({ file }) => file)).toEqual([])
  })
})
