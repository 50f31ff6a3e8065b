import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContinuationInput, continuation } from '../../src/engine/continuation.ts'
import { continuedRequest } from '../../src/engine/continued-request.ts'
import { feed } from '../../src/machine/run.ts'
import type { Citation, Delta } from '../../src/protocol/delta.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { deltas } from '../arbitraries/deltas.ts'
import { check } from '../property.ts'
import { requestOf } from '../request-bodies.ts'
import { clientOf } from './client-of.ts'

/** The machine of an answer that a further upstream may continue. */

const CLIENT = clientOf(requestOf({ model: 'x', input: 'Hi' }), {})
const UPSTREAM = { wire: WIRES['openai-chat'], quirks: {}, model: 'mistral-large-latest' }
const ERROR = upstreamError('upstream_disconnected', 'Lost.')
const CUT: Delta = { kind: 'cut', error: ERROR }
const text = (words: string, key = 'm', part = 'p'): Delta => ({ kind: 'text', key, part, text: words, logprobs: null })
const END: ContinuationInput = { kind: 'turn ended' }
const continued = (words: string): ContinuationInput => ({ kind: 'continued', text: words, feature: 'both' })
const run = (...inputs: readonly (Delta | ContinuationInput)[]) =>
  feed(continuation, continuation.initial, inputs).events

describe('an answer of one upstream', () => {
  it('has its deltas as they are, and its finish and failure at the end', () => {
    check(
      fc.property(deltas, (given) => {
        const out = run(...given, END, { kind: 'given up' })
        const isEnd = ({ kind }: { readonly kind: string }): boolean => ['finish', 'error', 'cut'].includes(kind)
        expect(out.filter((one) => !isEnd(one) && one.kind !== 'died' && one.kind !== 'over')).toEqual(
          given.filter((one) => !isEnd(one)),
        )
        expect(out.at(-1)).toEqual({ kind: 'over' })
      }),
      500,
    )
  })

  it('keeps its state, as JSON, while a text grows', () => {
    const { state } = feed(continuation, continuation.initial, [text('a')])
    expect(continuation.step(state, text('b')).state).toBe(state)
    expect(JSON.parse(JSON.stringify(state))).toEqual(state)
  })

  it.each<readonly [string, readonly Delta[], boolean]>([
    ['in a text', [text('a'), CUT], true],
    ['in a text, without a report of its end', [text('a')], true],
    ['after a text that has ended', [text('a'), { kind: 'stop', key: 'm' }, CUT], false],
    ['after its finish', [text('a'), { kind: 'finish', reason: 'stop' }, CUT], false],
    [
      'with a failure after its finish',
      [text('a'), { kind: 'finish', reason: 'stop' }, { kind: 'error', error: ERROR }],
      false,
    ],
    ['before any item', [{ kind: 'start', model: 'm' }, CUT], true],
    ['in reasoning', [{ kind: 'reasoning', key: 'r', part: 'p', text: 'Hm', logprobs: null }, CUT], false],
  ])('may be continued if it dies %s: %#', (_, given, isDead) => {
    expect(run(...given, END).some(({ kind }) => kind === 'died')).toBe(isDead)
  })
})

describe('the text of a further upstream', () => {
  it('has the place of the open text, and other items have places of their own', () => {
    const out = run(
      text('Hel', 'm', 'p'),
      CUT,
      END,
      continued('Hel'),
      { kind: 'start', model: 'other' },
      { kind: 'stop', key: 'r' },
      text('lo', 'x', 'y'),
      { kind: 'call', key: 'm', type: 'function_call', callId: 'c', name: 'f', arguments: '{}' },
      { kind: 'final', whole: { kind: 'text', key: 'x', part: 'y', text: 'lo', logprobs: null } },
      { kind: 'finish', reason: 'stop' },
      END,
    )
    expect(out.slice(1)).toEqual([
      { kind: 'died', error: ERROR, wrote: true },
      { kind: 'loss', feature: 'both' },
      text('lo', 'm', 'p'),
      { kind: 'call', key: '2 m', type: 'function_call', callId: 'c', name: 'f', arguments: '{}' },
      { kind: 'final', whole: { kind: 'text', key: 'm', part: 'p', text: 'Hello', logprobs: null } },
      { kind: 'finish', reason: 'stop' },
      { kind: 'over' },
    ])
  })

  it('does not repeat white space', () => {
    const out = run(text('Hel '), CUT, END, continued('Hel '), text(' ', 'x'), text('\n lo', 'x'), text(' you', 'x'))
    expect(out.slice(3)).toEqual([text('\n lo'), text(' you')])
  })

  it('has the same white space however the next upstream cuts its chunks, repeated or not', () => {
    const space = fc.stringMatching(/^[ \n]{0,4}$/)
    check(
      fc.property(space, space, fc.array(fc.nat(6), { maxLength: 4 }), (end, beginning, cuts) => {
        const before = `a${end}`
        const words = `${beginning}b c`
        const places = [...new Set([0, ...cuts.filter((at) => at < words.length)])].sort((one, other) => one - other)
        const pieces = places.map((at, i) => text(words.slice(at, places[i + 1]), 'x'))
        const joined = (given: readonly Delta[]): string => {
          const out = run(text(before), CUT, END, continued(before), ...given, { kind: 'stop', key: 'x' })
          return out.flatMap((one) => (one.kind === 'text' ? [one.text] : [])).join('')
        }
        const whole = joined([text(words, 'x')])
        expect(joined(pieces)).toBe(whole)
        // What is repeated is a part of the end, and nothing else is lost.
        expect(whole.startsWith(before) && whole.endsWith('b c')).toBe(true)
        expect(whole.length).toBeGreaterThanOrEqual(
          before.length + words.length - Math.min(end.length, beginning.length),
        )
      }),
      1000,
    )
  })

  it('is the whole text, wherever it breaks off, of an upstream that writes all white space behind the words that it has', () => {
    const words = fc.stringMatching(/^a[ \n a]{0,8}b$/)
    check(
      fc.property(words, fc.nat(), (whole, cut) => {
        const before = whole.slice(0, 1 + (cut % whole.length))
        const answer = continuedRequest(CLIENT, [before], UPSTREAM).request.input.at(1)
        const known = answer?.type === 'message' && Array.isArray(answer.content) ? answer.content[0] : undefined
        const seen = known !== undefined && 'text' in known ? known.text : ''
        expect(seen).toBe(before.trimEnd())
        const rest = [...whole.slice(seen.length)].map((piece) => text(piece, 'x'))
        const out = run(text(before), CUT, END, continued(before), ...rest, { kind: 'stop', key: 'x' })
        expect(out.flatMap((one) => (one.kind === 'text' ? [one.text] : [])).join('')).toBe(whole)
      }),
      1000,
    )
  })

  it.each([
    ['Hi \ud83d', 'Hi'],
    ['Hi\ud83d', 'Hi'],
    ['Hi\u{1F600}', 'Hi\u{1F600}'],
  ])('goes on behind whole characters alone, which upstreams accept: %j', (before, seen) => {
    expect(continuedRequest(CLIENT, [before], UPSTREAM).request.input.at(1)).toMatchObject({
      content: [{ type: 'output_text', text: seen }],
    })
  })

  it('begins anew, without an instruction, where the first upstream has written white space alone', () => {
    expect(continuedRequest(CLIENT, [' \n'], { ...UPSTREAM, model: 'gpt-5' }).request.input).toEqual(
      CLIENT.request.input,
    )
  })

  it.each<readonly [string, readonly Delta[], string]>([
    ['has written nothing', [], 'first'],
    [
      'has written reasoning, which is dropped',
      [{ kind: 'reasoning', key: 'r', part: 'p', text: 'Hm', logprobs: null }],
      'first',
    ],
    ['has repeated white space alone', [text(' ', 'x')], 'first'],
    ['has written white space alone', [text('\n', 'x')], 'second'],
    ['has written a text', [text('b', 'x')], 'second'],
  ])('ends with the failure of the upstream that wrote last if it %s', (_, given, failure) => {
    const cut = (message: string): Delta => ({ kind: 'cut', error: upstreamError('upstream_disconnected', message) })
    const out = run(text('a '), cut('first'), END, continued('a '), ...given, cut('second'), END, { kind: 'given up' })
    const isSecond = failure === 'second'
    expect(out.filter(({ kind }) => kind === 'died')).toMatchObject([{ wrote: true }, { wrote: isSecond }])
    expect(out.filter((one) => one.kind === 'loss' && one.feature === 'both')).toHaveLength(isSecond ? 1 : 0)
    expect(out.slice(-2)).toEqual([cut(failure), { kind: 'over' }])
  })

  it('may be white space alone', () => {
    const out = run(
      text('a\n\n'),
      CUT,
      END,
      continued('a\n\n'),
      text('\n', 'x'),
      { kind: 'finish', reason: 'stop' },
      END,
    )
    expect(out.slice(3)).toEqual([{ kind: 'finish', reason: 'stop' }, { kind: 'over' }])
  })

  it('is the whole answer of the next upstream if the first one has sent no item', () => {
    const call: Delta = { kind: 'call', key: 'm', type: 'function_call', callId: 'c', name: 'f', arguments: '{}' }
    const out = run(
      { kind: 'start', model: 'one' },
      CUT,
      END,
      continued(''),
      { kind: 'start', model: 'other' },
      text('Hi'),
      call,
    )
    expect(out.slice(3)).toEqual([text('Hi'), call])
  })

  it('keeps the white space that only the next upstream writes', () => {
    const out = run(text('def f():\n'), CUT, END, continued('def f():\n'), text('\n    return', 'x'), text(' 1', 'x'))
    expect(out.slice(3)).toEqual([text('    return'), text(' 1')])
  })

  it.each([
    ['utf16', 2],
    ['code-point', 1],
    ['utf8', 4],
  ] as const)('has citations at their places in the whole text, in %s', (unit, length) => {
    const citation: Citation = { url: 'u', title: null, content: null, marker: null, span: { start: 0, end: 2, unit } }
    const out = run(text('\u{1f642}'), CUT, END, continued('\u{1f642}'), text('lo', 'x'), {
      kind: 'citation',
      key: 'x',
      part: 'p',
      citation,
    })
    expect(out.at(-1)).toMatchObject({
      key: 'm',
      part: 'p',
      citation: { span: { start: length, end: length + 2, unit } },
    })
  })
})
