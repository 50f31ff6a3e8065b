import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { optionsOf, toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'
import { both, fresh } from './both.ts'

/** The terminal events repeat long texts, which were written in pieces before. */

const { beta, openai } = DIALECTS
const chat = fresh(WIRES['openai-chat'])

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, ...more }] })}\n\n`
const END = `${chunk({}, { finish_reason: 'stop' })}data: [DONE]\n\n`

/** Pieces of a text in JSON spelling: some have unusual escapes, and some fit no template. */
const PIECES = {
  plain: ['a mill', ' grinds', ' grain', '\\n', ' \\"slowly\\"', ' caf\u00e9', ' \u{1f4a7}', '\\\\ud'],
  odd: ['\\u00e9', '\\/', '\\u0041'],
  halves: ['\\ud83d', '\\udca7', 'x\\ud83d', '\\udca7x'],
  empty: [''],
}
const some = (names: readonly (keyof typeof PIECES)[]) => fc.constantFrom(...names.flatMap((name) => PIECES[name]))

/** Repeats a few pieces often enough that a template is learned and the text is long. */
const stretch = fc.oneof(
  ...[['plain'], ['plain'], ['plain', 'odd'], ['plain', 'empty'], ['plain', 'halves'], ['odd', 'halves']].map((names) =>
    fc.record({
      pieces: fc.array(some(names as (keyof typeof PIECES)[]), { minLength: 1, maxLength: 5 }),
      times: fc.constantFrom(1, 3, 40, 120),
      alone: fc.boolean(),
    }),
  ),
)
const LOGPROBS = { logprobs: { content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }] } }

/**
 * The text of a message, or of reasoning before it. The first piece of a stretch may have an extra field in its chunk.
 */
const textRun = fc.record({
  field: fc.constantFrom('content', 'content', 'content', 'reasoning_content'),
  stretches: fc.array(stretch, { minLength: 1, maxLength: 4 }),
})
type TextRun = typeof textRun extends fc.Arbitrary<infer Said> ? Said : never

const toChunks = ({ field, stretches }: TextRun): string =>
  stretches
    .flatMap(({ pieces, times, alone }) =>
      Array.from({ length: times }, () => pieces)
        .flat()
        .map((piece, i) =>
          chunk({ [field]: '@' }, alone && i === 0 ? LOGPROBS : {}).replace('"@"', () => `"${piece}"`),
        ),
    )
    .join('')

describe('repetitions of long texts', () => {
  it('are the same on both paths for any pieces', () => {
    check(
      fc.property(
        fc.array(textRun, { minLength: 1, maxLength: 4 }),
        cuts,
        fc.constantFrom(beta, openai),
        (run, at, dialect) => {
          const bytes = toBytes(run.map(toChunks).join('') + END)
          both(optionsOf(dialect, {}, 'x', chat), cutBytes(bytes, at))
        },
      ),
      300,
    )
  })

  it('take the fast path if reasoning and text follow one another', () => {
    const run = (field: string, piece: string): string => chunk({ [field]: piece }).repeat(400)
    const bytes = toBytes(run('reasoning_content', ' hm') + run('content', ' yes \u{1f642}') + END)
    for (const dialect of [beta, openai]) {
      expect(both(optionsOf(dialect, {}, 'x', chat), [bytes])).toBeGreaterThan(780)
    }
  })

  it('are the same on both paths if the last piece arrives with the finish reason', () => {
    const bytes = toBytes(
      chunk({ content: ' yes' }).repeat(400) + chunk({ content: ' and no' }, { finish_reason: 'stop' }),
    )
    both(optionsOf(openai, {}, 'x', chat), [bytes])
  })

  it('are the same on both paths if reasoning and text of one length follow one another, with a slow piece in each', () => {
    const run = (field: string, piece: string): string =>
      chunk({ [field]: piece }).repeat(200) + chunk({ [field]: ' -' }, LOGPROBS) + chunk({ [field]: piece }).repeat(200)
    const ends = [
      END,
      chunk({ content: '.' }, { finish_reason: 'stop' }),
      chunk({ content: '.' }, LOGPROBS) + chunk({ reasoning_content: '.' }, LOGPROBS) + END,
    ]
    for (const end of ends) {
      const bytes = toBytes(run('reasoning_content', ' one') + run('content', ' two') + end)
      for (const dialect of [beta, openai]) both(optionsOf(dialect, {}, 'x', chat), [bytes])
    }
  })

  it('are the same on both paths if the text is longer than one block', () => {
    const run = (times: number): string => chunk({ content: ` ground ${'slowly '.repeat(40)}\u{1f4a7}` }).repeat(times)
    const slow = chunk({ content: ' and then' }, LOGPROBS)
    const bytes = toBytes(run(60) + slow + run(200) + slow + run(300) + END)
    for (const dialect of [beta, openai]) {
      expect(both(optionsOf(dialect, {}, 'x', chat), [bytes])).toBeGreaterThan(540)
      both(optionsOf(dialect, {}, 'x', chat), cutBytes(bytes, [16_000, 16_000, 16_000]))
    }
  })
})
