import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { upstreamError } from '../../../src/protocol/error.ts'
import { redactDelta, redactError, redactor } from '../../../src/wires/redact.ts'
import { shortWord, stoppedWith } from '../../../src/wires/shared/upstream/answers/finish-reasons.ts'
import { escapedSecrets } from '../../arbitraries/quoted-secrets.ts'
import { leaksIn } from '../../host/leaks.ts'
import { check } from '../../property.ts'

/** An upstream can quote secrets of the account in its messages. */

const secret = fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' }).filter((text) => text.trim() === text)

/** Long enough that no other text contains a part of it. */
const token = fc
  .string({ minLength: 14, maxLength: 80, unit: 'grapheme-ascii' })
  .map((text) => text.replaceAll(' ', '_'))

describe('a redactor of secrets', () => {
  it('leaves no secret in any text, raw, percent-encoded or JSON-escaped', () => {
    check(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        fc.array(fc.string(), { minLength: 2 }),
        (secrets, words) => {
          const redact = redactor(secrets)
          for (const form of secrets.flatMap((one) => [
            one,
            encodeURIComponent(one),
            JSON.stringify(one).slice(1, -1),
          ])) {
            const shown = redact(words.join(form))
            for (const one of secrets) expect(shown).not.toContain(one)
          }
        },
      ),
    )
  })

  it('leaves no part of a quoted secret, however it is spelled and wherever the text is cut', () => {
    const quoted = token.chain((one) =>
      fc.tuple(fc.constant(one), escapedSecrets(one), fc.string({ maxLength: 9 }), fc.nat()),
    )
    check(
      fc.property(quoted, fc.boolean(), ([one, text, around, at], isCut) => {
        const whole = `${around} ${text} ${around}`
        const shown = redactor(['another-secret', one])(isCut ? `${whole.slice(0, at % whole.length)}…` : whole)
        expect(leaksIn(shown, [one]), shown).toEqual([])
      }),
      1000,
    )
  })

  it('takes at most linear time for the text', () => {
    const redact = redactor(['sk-0123456789abcdef', 'a'.repeat(500)])
    for (const piece of [
      '\\\\',
      '\\u005c',
      '%25',
      '&amp;',
      'b',
      'sk-01234567',
      '\\u00',
      '\n',
      '\\n',
      '...a',
      '*',
      '**** ',
    ]) {
      const text = piece.repeat(1_000_000 / piece.length)
      expect(redact(text).length).toBeGreaterThan(text.length - 20)
    }
  })

  it('leaves no prefix of a secret at the end of a cut text', () => {
    const redact = redactor(['sk-0123456789abcdef'])
    for (let size = 8; size < 19; size += 1) {
      const shown = redact(`Incorrect key: ${'sk-0123456789abcdef'.slice(0, size)}`)
      expect(shown).toBe('Incorrect key: [secret]')
      for (const end of ['…', '.']) {
        expect(redact(`Incorrect key: ${'sk-0123456789abcdef'.slice(0, size)}${end}`)).toBe(shown)
      }
    }
  })

  it('leaves no beginning of a secret before an ellipsis in the middle of a sentence', () => {
    const redact = redactor(['sk-0123456789abcdef'])
    for (const mark of ['…', '...'])
      for (let size = 8; size < 19; size += 1)
        expect(redact(`The key "${'sk-0123456789abcdef'.slice(0, size)}${mark}" is wrong. Ask "abcdef${mark}".`)).toBe(
          `The key "[secret]${mark}" is wrong. Ask "abcdef${mark}".`,
        )
  })

  it('leaves no end of a secret after an ellipsis, wherever it stands', () => {
    const quoted = fc.tuple(
      token,
      fc.nat(),
      fc.nat({ max: 20 }),
      fc.constantFrom('…', '...', '*****', '•••', '\\u2026', '%E2%80%A6', '%e2%80%a2%e2%80%a2%e2%80%a2'),
      fc.constantFrom(
        (text: string) => text,
        (text: string) => JSON.stringify(text).slice(1, -1),
        encodeURIComponent,
      ),
    )
    check(
      fc.property(quoted, ([one, at, left, mark, spell]) => {
        const cut = at % one.length
        const text = `${spell(one.slice(0, cut))}${mark}${spell(one.slice(cut + left))}`
        const shown = redactor(['another-secret', one])(`The key "${text}" of the server is wrong.`)
        expect(leaksIn(shown, [one]), shown).toEqual([])
      }),
      1000,
    )
  })

  it('leaves no part of a secret that is divided into lines, however it is spelled', () => {
    // A secret that contains an escaped line break has other parts when its lines are joined.
    const ofOneLine = token.filter((one) => !/\\+[nr]/.test(one))
    const quoted = ofOneLine.chain((one) =>
      fc.tuple(
        fc.constant(one),
        escapedSecrets(one),
        fc.integer({ min: 3, max: 40 }),
        fc.constantFrom('\n', '\r\n', '\n    ', '\\n', '\\r\\n', '\\\\n'),
      ),
    )
    check(
      fc.property(quoted, ([one, text, width, end]) => {
        const lines = text.match(new RegExp(`.{1,${width}}`, 'gs')) ?? []
        // A backslash before an escaped line break belongs to either.
        fc.pre(!end.startsWith('\\') || lines.slice(0, -1).every((line) => !line.endsWith('\\')))
        const shown = redactor(['another-secret', one])(`The key:\n${lines.join(end)}\nis wrong.`)
        expect(leaksIn(shown.replaceAll(end, ''), [one]), shown).toEqual([])
        expect(shown).toMatch(/^The key:\n[\s\S]*\nis wrong\.$/)
      }),
      1000,
    )
  })

  it('joins lines once, also if what is left of them looks like line breaks again', () => {
    const [one, count] = ['sk-0123456789abcdef', 20_000]
    const text = `${'\\'.repeat(8 * count)}${'n'.repeat(count)}`
    expect(redactor([one])(`${one} ${text}`)).toBe(`[secret] ${text}`)
  })

  it('leaves no half of a secret in a sentence that goes on, however it is spelled', () => {
    const quoted = fc.tuple(token, fc.nat({ max: 40 })).chain(([one, more]) => {
      const half = one.slice(0, Math.max(12, Math.ceil(one.length / 2)) + more)
      return fc.tuple(fc.constant(one), fc.constant(half), escapedSecrets(half))
    })
    check(
      fc.property(quoted, ([one, half, text]) => {
        const shown = redactor(['another-secret', one])(`The key '${text}' of the server is wrong.`)
        expect(leaksIn(shown, [half]), shown).toEqual([])
      }),
      1000,
    )
  })

  it('does not change what is common to many keys', () => {
    const key = `sk-ant-api03-${'a1B2c3'.repeat(16)}`
    const text = 'Keys that begin with sk-ant-api03- are wrong.'
    expect(redactor([key])(text)).toBe(text)
  })

  it('does not change texts without a secret', () => {
    expect(redactor(['abcdefgh', 'x'])('The x of abcdefg and more')).toBe('The x of abcdefg and more')
    expect(redactor([])('anything')).toBe('anything')
  })

  it('hides secrets in failures, model names and losses, but not in the text of an answer', () => {
    const redact = redactor(['0123456789'])
    const error = upstreamError('server_error', 'Key 0123456789 is wrong.')
    expect(redactError(error, redact).message).toBe('Key [secret] is wrong.')
    expect(redactDelta({ kind: 'error', error }, redact)).toMatchObject({
      error: { message: 'Key [secret] is wrong.' },
    })
    expect(redactDelta({ kind: 'start', model: 'm-0123456789' }, redact)).toEqual({
      kind: 'start',
      model: 'm-[secret]',
    })
    const text = { kind: 'text', key: 'a', part: '0', text: '0123456789', logprobs: null } as const
    expect(redactDelta(text, redact)).toBe(text)
  })

  it('hides the beginning of a secret in a word that a failure or a loss shortens', () => {
    const secret = 'k7Q2m9X4v1B8n3Z6c5L0j2H7g4F1d8S3'
    for (let before = 33; before <= 56; before += 1) {
      const word = `${'FAILED_'.repeat(9).slice(0, before)}${secret}`
      const loss = { kind: 'loss', feature: `the members ${shortWord(word)}, ${shortWord(`b${word}`)} and c` } as const
      for (const delta of [stoppedWith(word), loss])
        expect(JSON.stringify(redactDelta(delta, redactor([secret])))).not.toContain('k7Q2m9X4')
    }
  })

  it('hides what looks like a key in any failure, whoever sent it', () => {
    for (const code of ['server_error', 'upstream_authentication', 'invalid_prompt']) {
      const error = upstreamError(code, 'Key sk-1234567890abcdef is wrong, as AKIAIOSFODNN7EXAMPLE is.')
      expect(redactError(error, redactor([])).message).toBe('Key [key] is wrong, as [key] is.')
    }
  })
})
