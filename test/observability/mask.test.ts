import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DESTINATION_FIELDS,
  DESTINATION_TYPES,
  type DestinationField,
} from '../../src/observability/destination-types.ts'
import { maskSecret, viewDestination } from '../../src/observability/mask.ts'
import { check } from '../property.ts'
import { destinationOf, valueFor } from './samples.ts'

const letters = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGH0123456789-_é🦜'),
  minLength: 8,
})
const type = fc.constantFrom(...DESTINATION_TYPES)

describe('a masked secret', () => {
  it.each([
    ['', '********'],
    ['short', '********'],
    ['nineteen-characters', '********'],
    ['twenty-characters-ab', 'twen...s-ab'],
    ['sk-lf-0123456789abcdefAbCd', 'sk-l...AbCd'],
    ['🦜🦜🦜🦜🦜 a key with a parrot 🦜', '🦜🦜🦜🦜...ot 🦜'],
  ])('of %j is shown as %j', (secret, shown) => {
    expect(maskSecret(secret)).toBe(shown)
  })

  it('shows at most eight characters, and never the whole secret', () => {
    check(
      fc.property(letters, (secret) => {
        const shown = maskSecret(secret)
        expect([...shown].length).toBeLessThanOrEqual(11)
        expect(shown).not.toContain(secret)
      }),
    )
  })
})

describe('a shown destination', () => {
  it('never contains a secret of its fields and headers', () => {
    check(
      fc.property(type, fc.array(letters, { minLength: 12, maxLength: 12 }), (kind, words) => {
        const fields = Object.entries<DestinationField>(DESTINATION_FIELDS[kind])
        const secrets = fields.map(([name, field], at) => [name, field, `${words[at % 10]}${at}`] as const)
        const config = Object.fromEntries(
          secrets.map(([name, field, word]) => [name, field.secret === 'whole' ? word : valueFor(name, field)]),
        )
        const headers = { authorization: `Bearer ${words[10]}`, 'x-key': words[11] as string }
        const shown = JSON.stringify(viewDestination(destinationOf(kind, { config: { ...config, headers } })))
        for (const [, field, word] of secrets) if (field.secret === 'whole') expect(shown).not.toContain(word)
        expect(shown).not.toContain(words[10])
        expect(shown).not.toContain(words[11])
      }),
    )
  })

  it.each([
    [
      'https://a.example/in?token=0123456789&team=ops#part',
      'https://a.example/in?token=********&team=********#********',
    ],
    ['https://a.example/in?token=0123456789abcdefghij', 'https://a.example/in?token=0123...ghij'],
    ['https://a.example/services/T01/0123456789abcdefghij', 'https://a.example/services/T01/0123...ghij'],
    ['https://a.example/in?raw&team=', 'https://a.example/in?raw&team='],
    ['https://a.example/in?0123456789abcdefghij', 'https://a.example/in?0123...ghij'],
    ['https://a.example:8443/in', 'https://a.example:8443/in'],
    ['https://a.example', 'https://a.example'],
    ['https://a.example/in#', 'https://a.example/in#'],
  ])('has the tokens of a URL masked: %s', (url, shown) => {
    expect(viewDestination(destinationOf('webhook', { config: { url } }))).toMatchObject({ config: { url: shown } })
  })

  it('has only the password of an old DSN masked', () => {
    const config = {
      dsn: 'https://public:password-of-nobody-at-all@o1.ingest.sentry.example:443/7',
      otlpEndpoint: 'https://a.example',
    }
    expect(viewDestination(destinationOf('sentry', { config }))).toMatchObject({
      config: { dsn: 'https://public:pass...-all@o1.ingest.sentry.example:443/7' },
    })
    const plain = 'https://public@o1.ingest.sentry.example:443/7'
    expect(viewDestination(destinationOf('sentry', { config: { dsn: plain } }))).toMatchObject({
      config: { dsn: plain },
    })
  })

  it('contains its public fields unchanged, and no internal field', () => {
    const shown = viewDestination(destinationOf('clickhouse'))
    expect(shown).toMatchObject({
      type: 'clickhouse',
      config: { host: 'https://host.example', username: expect.any(String) },
    })
    expect(shown).not.toHaveProperty('release')
    expect(shown.config).not.toHaveProperty('headers')
  })
})
