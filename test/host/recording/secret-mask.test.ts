import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeEventStream, repairChecksums } from '../../../src/framing/encode-event-stream.ts'
import { EVENT_STREAM } from '../../../src/framing/eventstream.ts'
import { splitFrames } from '../../../src/framing/framing.ts'
import { configuredSecrets } from '../../../src/gateway/auth/configured-secrets.ts'
import { maskText, SecretMask, toSecretSet } from '../../../src/host/recording/secret-mask.ts'
import { signedIn } from '../../../src/host/recording/signed-addresses.ts'
import { check } from '../../property.ts'

const SECRETS = ['sk-of-nobody-4750', '4750475047504750', 'p\u00e4ssword "of" nobody/4751']

const inPieces = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array => {
  const mask = new SecretMask(toSecretSet(SECRETS))
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const out = ends.map((end, at) => mask.push(bytes.subarray(ends[at - 1] ?? 0, end)))
  return Buffer.concat([...out, mask.end()])
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

const WRITINGS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  escaped,
  (secret) => escaped(escaped(secret)),
  encodeURIComponent,
  (secret) => [...secret].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
]

/** In no set of secrets: it is known by its place in an address alone. */
const SIGNATURE = 'signature-of-nobody-4752'
const SIGNED = [
  `https://bucket.example/a?X-Amz-Signature=${SIGNATURE}`,
  `https://bucket.example/a?X-Amz-Date=1&X-Amz-Signature=${SIGNATURE}&X-Amz-Credential=${SIGNATURE}`,
  JSON.stringify({ url: `https://blob.example/a?sv=1&sig=${SIGNATURE}` }),
  `{"url":"https://storage.example/a?alt=media\\u0026X-Goog-Signature\\u003d${SIGNATURE}"}`,
  `https://proxy.example/?url=https%3A%2F%2Fb.example%2Fa%3Fsig%3D${SIGNATURE}`,
  `<img src="https://b.example/a?x=1&amp;token=${SIGNATURE}">`,
]

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', ' ', '\n', '"', '\\n', 'ä', '🌨', 'x'.repeat(2000), 'data: {}\n\n'),
      fc.constantFrom(...SIGNED),
      fc.tuple(fc.constantFrom(...SECRETS), fc.constantFrom(...WRITINGS)).map(([secret, write]) => write(secret)),
    ),
    { maxLength: 120 },
  )
  .map((parts) => parts.join(''))

describe('the mask of secrets', () => {
  it('knows a signature in an address as it is written, and as its server reads it', () => {
    const [written, read] = ['nobody%2F4753%3D', 'nobody/4753=']
    expect(signedIn(`https://blob.example/a?sig=${written}&x=1`)).toEqual([written, read])
    expect(signedIn(`https://blob.example/a?sig=${SIGNATURE}`)).toEqual([SIGNATURE])
  })

  it('has the same result for any pieces, the same length, and no secret in any form', () => {
    check(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
        const bytes = Buffer.from(whole)
        const masked = inPieces(bytes, cuts)
        expect(masked).toHaveLength(bytes.length)
        const shown = Buffer.from(masked).toString()
        expect(shown).toBe(maskText(whole, toSecretSet(SECRETS)))
        for (const write of WRITINGS) for (const secret of SECRETS) expect(shown).not.toContain(write(secret))
        expect(shown).not.toContain(SIGNATURE)
      }),
      200,
    )
  })

  it('leaves bytes that are no text as they are', () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => (at * 7919) % 256)
    expect(Buffer.compare(inPieces(bytes, [1, 70_000, 70_001]), bytes)).toBe(0)
  })

  it('leaves JSON valid where a secret is a number', () => {
    expect(JSON.parse(maskText('{"id":4750475047504750,"key":"sk-of-nobody-4750"}', toSecretSet(SECRETS)))).toEqual({
      id: 1_111_111_111_111_111,
      key: 'x'.repeat(17),
    })
  })

  it('leaves an AWS event stream readable once its checksums are repaired', () => {
    const frames = [
      { event: 'contentBlockDelta', data: '{"delta":{"text":"the key sk-of-nobody-4750"}}' },
      { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
    ]
    const bytes = Buffer.concat(frames.map(encodeEventStream))
    const masked = Uint8Array.from(inPieces(bytes, [40]))
    const read = (stream: Uint8Array) => EVENT_STREAM.open(1e6).push(stream)
    expect(read(masked)).not.toEqual(read(bytes).map((frame) => ({ ...frame })))
    repairChecksums(masked)
    expect(read(masked)).toEqual([
      { ...frames[0], data: frames[0]?.data.replace(/sk[-\w]+/, 'x'.repeat(17)) },
      frames[1],
    ])
    expect(splitFrames(EVENT_STREAM, masked)).toHaveLength(2)
    // A message that claims to be shorter than its own frame stays as it is, and so does what follows.
    const broken = Uint8Array.from([0, 0, 0, 12, ...bytes.subarray(4)])
    const kept = broken.slice()
    repairChecksums(broken)
    expect(broken).toEqual(kept)
    // A stream that is cut inside a message keeps its beginning.
    const cut = bytes.subarray(0, bytes.length - 3)
    repairChecksums(cut)
    expect(cut).toEqual(bytes.subarray(0, bytes.length - 3))
  })
})

describe('the secrets of a configuration', () => {
  it('are those of its members, its variables, its addresses, and the tables', () => {
    const config = {
      encrypted_content_secret: { env: 'SEALING' },
      rate_limit: { redis: { url: { env: 'REDIS_URL' } } },
      vendors: {
        acme: {
          key: 'vendor-key-1',
          base_url: 'https://acme.example/v1?api-key=parameter-2&api-version=2026-01-01',
          headers: {
            authorization: 'Basic dXNlcjpwYXNzd29yZC0z',
            'x-gate': 'gate-value-4',
            accept: 'application/json',
          },
          aws: { secret_access_key: 'aws-secret-5', region: 'eu-west-1' },
        },
      },
      destinations: [{ type: 'langfuse', config: { secretKey: 'destination-6' } }],
      mounts: [{ path: '/api/v1', dialect: 'beta' }],
    }
    const env = {
      SEALING: 'sealing-7',
      REDIS_URL: 'redis://user:redis-password-8@localhost',
      GROQ_API_KEY: 'groq-9',
      HOME: '/srv/nobody',
    }
    const found = configuredSecrets(config, env)
    const hidden = ['vendor-key-1', 'parameter-2', 'password-3', 'gate-value-4', 'aws-secret-5', 'destination-6']
    expect(found).toEqual(expect.arrayContaining([...hidden, 'sealing-7', 'redis-password-8', 'groq-9']))
    for (const harmless of ['application/json', '/api/v1', 'beta', 'eu-west-1', '/srv/nobody', '2026-01-01'])
      expect(found).not.toContain(harmless)
  })
})
