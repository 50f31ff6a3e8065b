import { describe, expect, it } from 'vitest'
import { EVENT_STREAM } from '../../../src/framing/eventstream.ts'
import type { Framing } from '../../../src/framing/framing.ts'
import { NDJSON } from '../../../src/framing/ndjson.ts'
import { SSE } from '../../../src/framing/sse.ts'
import { SSE_OR_ARRAY } from '../../../src/framing/sse-or-array.ts'
import { byFirstBytes } from '../../../src/gateway/answer/detect-stream.ts'
import type { BodyReader } from '../../../src/gateway/upstream/transport.ts'
import { batchReads } from '../../../src/host/upstream/batch-reads.ts'
import { clientError } from '../../../src/protocol/error.ts'

/** Opens a reader that records everything it receives. */
function openNotes(): BodyReader & { readonly notes: string[] } {
  const notes: string[] = []
  return {
    notes,
    bytes: (chunk) => void notes.push(Buffer.from(chunk).toString()),
    end: () => void notes.push('<end>'),
    fail: ({ code }) => void notes.push(`<${code}>`),
  }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const unexpected = { onBug: (error: unknown): void => expect.unreachable(String(error)) }

describe('gather', () => {
  it('joins chunks that arrive in the same turn', async () => {
    const reader = openNotes()
    const gathered = batchReads(reader, unexpected)
    for (const word of ['a', 'b', 'c']) gathered.bytes(Buffer.from(word))
    await tick()
    gathered.bytes(Buffer.from('d'))
    gathered.end()
    await tick()
    expect(reader.notes).toEqual(['abc', 'd', '<end>'])
  })

  it('passes the chunks of each read at its end, from the first one on that the source reports', () => {
    const reader = openNotes()
    const gathered = batchReads(reader, unexpected)
    for (const words of ['abc', 'de', 'f']) {
      for (const word of words) gathered.bytes(Buffer.from(word))
      gathered.flush?.()
    }
    gathered.flush?.()
    expect(reader.notes).toEqual(['abc', 'de', 'f'])
  })

  it.each([true, false])('passes bytes that may be kept, unless the reader keeps none: %s', async (keepsNone) => {
    const kept: Uint8Array[] = []
    const reader = { bytes: (chunk: Uint8Array) => void kept.push(chunk), end() {}, fail() {}, keepsNone }
    for (const words of [
      ['a', 'b'],
      ['c', 'd'],
    ]) {
      const gathered = batchReads(reader, unexpected)
      for (const word of words) gathered.bytes(Buffer.from(word))
      await tick()
    }
    expect(kept.map(String)).toEqual(keepsNone ? ['cd', 'cd'] : ['ab', 'cd'])
  })

  it('reports a failure after the bytes that arrived before it', () => {
    const reader = openNotes()
    const gathered = batchReads(reader, unexpected)
    gathered.bytes(Buffer.from('a'))
    gathered.fail(clientError('gone', ''))
    expect(reader.notes).toEqual(['a', '<gone>'])
  })

  it('reports an error that its reader throws, only once', async () => {
    const bugs: unknown[] = []
    const thrower = (): never => {
      throw new Error('bug')
    }
    const gathered = batchReads(
      { bytes: thrower, end: thrower, fail: thrower },
      { onBug: (error) => void bugs.push(error) },
    )
    gathered.bytes(Buffer.from('a'))
    await tick()
    gathered.bytes(Buffer.from('b'))
    gathered.end()
    await tick()
    expect(bugs).toHaveLength(1)
  })
})

const FRAMINGS = Object.fromEntries([SSE, SSE_OR_ARRAY, NDJSON, EVENT_STREAM].map((framing) => [framing.name, framing]))

describe("the first bytes of an upstream's answer", () => {
  const choose = (...pieces: readonly string[]): string[] => chooseIn(SSE, false, ...pieces)
  const chooseIn = (framing: Framing, isLabelled: boolean, ...pieces: readonly string[]): string[] => {
    const [events, body] = [openNotes(), openNotes()]
    const reader = byFirstBytes(
      framing,
      isLabelled,
      () => events,
      () => body,
    )
    for (const piece of pieces) reader.bytes(Buffer.from(piece))
    reader.end()
    return [events.notes.join('|'), body.notes.join('|')]
  }

  it.each([
    ['data: {}\n\n'],
    ['data:{}'],
    ['event: x\n'],
    [': hello\n'],
    ['\n\ndata: 1'],
    ['\ufeffdata: 1'],
    ['d', 'a', 'ta', ': 1'],
  ])('%j are read as a stream', (...pieces) => expect(choose(...pieces)).toEqual([expect.stringMatching(/<end>$/), '']))

  it.each([['{"id":1}'], ['\n\n  {"id":1}'], ['<html>'], ['database: down'], ['', ''], [' '.repeat(300), '{}']])(
    '%j are read as a body',
    (...pieces) => expect(choose(...pieces)).toEqual(['', expect.stringMatching(/<end>$/)]),
  )

  it.each([
    ['sse', '{"id":1}', 'body'],
    ['sse', '\n [\n', 'body'],
    ['sse', 'nobody: knows\n', 'events'],
    ['sse', '', 'events'],
    ['sse-or-array', '{"id":1}', 'body'],
    ['sse-or-array', '[{"id":1}', 'events'],
    ['ndjson', '{"id":1}\n', 'events'],
    ['ndjson', '{\n  "id": 1}', 'body'],
    ['eventstream', '{"message":1}', 'body'],
    ['eventstream', '\0\0\0\x10\0\0\0\0', 'events'],
  ] as const)('of %s labelled as a stream, %j, are read as %s', (framing, text, expected) => {
    const [events] = chooseIn(FRAMINGS[framing] as Framing, true, text)
    expect(events === '' ? 'body' : 'events').toBe(expected)
  })

  it('are passed on completely after the choice', () => {
    expect(choose('da', 'ta: ', '1', '2')[0]?.replaceAll('|', '')).toBe('data: 12<end>')
  })

  it('are passed on even if there is only one, and not at all if there is none', () => {
    expect(choose('7')).toEqual(['', '7|<end>'])
    expect(chooseIn(SSE, true, 'd')).toEqual(['d|<end>', ''])
    expect(choose('')).toEqual(['', '<end>'])
  })
})
