import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerStream } from '../../src/fetch/answer-stream.ts'
import { concatenated } from '../../src/text/bytes.ts'
import { checkAsync } from '../property.ts'

/** Opens a stream that notes its events. */
function openNoted(stalledMs = 60_000) {
  const notes: string[] = []
  const stream = new AnswerStream(
    {
      onFull: () => void notes.push('full'),
      onDrain: () => void notes.push('drain'),
      onOver: (reason) => void notes.push(reason),
    },
    stalledMs,
  )
  return { stream, notes, reader: stream.readable.getReader() }
}

const KIB = 1024

describe('the stream of an answer', () => {
  it('passes on all bytes in order, however writes and reads alternate', () =>
    checkAsync(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.constant('read'))),
        async (steps) => {
          const { stream, reader, notes } = openNoted()
          const reads: Promise<ReadableStreamReadResult<Uint8Array>>[] = []
          for (const step of steps) {
            if (typeof step === 'string') reads.push(reader.read())
            else stream.write(step)
          }
          stream.end()
          const read: Uint8Array[] = []
          for (let at = 0; ; at += 1) {
            const { done, value } = await (reads[at] ?? reader.read())
            if (done) break
            expect(value).not.toHaveLength(0)
            read.push(value)
          }
          const written = steps.filter((step) => typeof step !== 'string')
          expect([...concatenated(read)]).toEqual([...concatenated(written)])
          expect(notes).toEqual(['read'])
        },
      ),
    ))

  it('holds its writer back from 64 KiB that wait, until they are read', async () => {
    const { stream, reader, notes } = openNoted()
    stream.write(new Uint8Array(60 * KIB))
    expect([stream.behind, notes]).toEqual([false, []])
    stream.write(new Uint8Array(4 * KIB))
    expect([stream.behind, notes]).toEqual([true, ['full']])
    expect((await reader.read()).value?.length).toBe(64 * KIB)
    expect([stream.behind, notes]).toEqual([false, ['full', 'drain']])
    stream.write(new Uint8Array(64 * KIB))
    expect([stream.behind, notes]).toEqual([true, ['full', 'drain', 'full']])
  })

  it('copies bytes that are borrowed', async () => {
    const { stream, reader } = openNoted()
    const lent = Uint8Array.of(1, 2)
    stream.write(lent)
    lent.fill(9)
    expect((await reader.read()).value).toEqual(Uint8Array.of(1, 2))
  })

  it('is over when its last byte was taken, and not before', async () => {
    const { stream, reader, notes } = openNoted()
    stream.write(Uint8Array.of(1))
    stream.end()
    await reader.read()
    expect(notes).toEqual([])
    expect((await reader.read()).done).toBe(true)
    expect(notes).toEqual(['read'])
  })

  it('reports a client that cancels, and writes nothing more', async () => {
    const { stream, reader, notes } = openNoted()
    stream.write(Uint8Array.of(1))
    await reader.cancel()
    stream.write(new Uint8Array(100 * KIB))
    stream.end()
    expect([stream.over, notes]).toEqual([true, ['cancelled']])
  })

  it('fails for its reader if it is broken off, and is over', async () => {
    const { stream, reader, notes } = openNoted()
    stream.write(Uint8Array.of(1))
    stream.destroy()
    await expect(reader.read()).rejects.toThrow('was broken off')
    stream.write(Uint8Array.of(2))
    expect([stream.over, notes]).toEqual([true, ['cancelled']])
  })

  it('fails if nothing of what waits is read for too long', async () => {
    const { stream, reader, notes } = openNoted(1)
    stream.write(Uint8Array.of(1))
    await expect.poll(() => notes).toEqual(['stalled'])
    await expect(reader.read()).rejects.toThrow('was not read')
  })
})
