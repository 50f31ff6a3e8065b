import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOutputBuffer, standardWrite, writeUtf8 } from '../../src/output/output-buffer.ts'
import { anyCodePoints, hostile } from '../arbitraries/strings.ts'
import { toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'

describe('the UTF-8 writer of the sink', () => {
  it('writes the same bytes natively and portably', () => {
    check(
      fc.property(fc.oneof(hostile, anyCodePoints()), fc.nat({ max: 9 }), (text, at) => {
        const [native, standard] = [new Uint8Array(600), new Uint8Array(600)]
        fc.pre(text.length < 190)
        expect(writeUtf8(native, text, at)).toBe(standardWrite(standard, text, at))
        expect(native).toEqual(standard)
        expect(native.subarray(at, at + toBytes(text).length)).toEqual(toBytes(text))
      }),
    )
  })
})

/** One of their own: the one of all streams has what earlier tests have left. */
const outputBuffer = createOutputBuffer()

describe('the output sink', () => {
  it('returns all written bytes exactly once, for any amount', () => {
    check(
      fc.property(fc.array(fc.tuple(hostile, fc.nat({ max: 30_000 })), { maxLength: 12 }), (texts) => {
        const handed = texts.map(([text, times]) => {
          outputBuffer.reset()
          outputBuffer.text(text)
          outputBuffer.text('x'.repeat(times))
          return outputBuffer.take()
        })
        expect(handed.map((bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))).toEqual(
          texts.map(
            ([text, times]) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(toBytes(text)) + 'x'.repeat(times),
          ),
        )
      }),
      100,
    )
  })

  it('replaces its memory once for a long text that the terminal events repeat', () => {
    const outputBuffer = createOutputBuffer()
    const text = toBytes('x'.repeat(100_000))
    outputBuffer.putRepeated(text)
    const memory = outputBuffer.bytes
    for (let n = 0; n < 3; n += 1) outputBuffer.putRepeated(text)
    // The difference between two of them would take minutes to print.
    expect(outputBuffer.bytes === memory).toBe(true)
    expect(outputBuffer.take()).toHaveLength(400_000)
  })

  it('discards output that was not taken before the next begin', () => {
    outputBuffer.text('lost')
    outputBuffer.reset()
    outputBuffer.text('told')
    expect(outputBuffer.take()).toEqual(toBytes('told'))
    expect(outputBuffer.take()).toHaveLength(0)
  })
})
