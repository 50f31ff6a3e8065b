import { describe, expect, it } from 'vitest'
import { toErrorBody } from '../../../src/protocol/error-body.ts'
import { mapError, mapHttpError } from '../../../src/wires/shared/upstream/error-map.ts'

type Headers = Readonly<Record<string, string>>

const failureOf = (status: number, body: unknown, headers: Headers = {}) =>
  mapHttpError(status, headers, typeof body === 'string' ? body : JSON.stringify(body), {})

describe('the time of a limit', () => {
  const said = (message: string) => ({ error: { message, type: 'requests' } })
  it.each<[words: string, body: unknown, headers: Headers, seconds: number | null]>([
    [
      'seconds',
      said('Rate limit reached for gpt-5 on tokens per min. Please try again in 20s. Visit the site.'),
      {},
      20,
    ],
    ['fractions', said('Limit 10, Used 9. Please try again in 7.66s.'), {}, 8],
    ['milliseconds', said('Please try again in 450ms.'), {}, 1],
    ['minutes and seconds', said('Please try again in 6m0s.'), {}, 360],
    ['hours', said('Please try again in 1h2m3.5s.'), {}, 3724],
    ['words', said('Please retry after 26 seconds. Contact Azure support service.'), {}, 26],
    ['days, up to one', said('Please try again in 3 days.'), {}, 86_400],
    ['the header before the message', said('Please try again in 20s.'), { 'retry-after': '3' }, 3],
    ['no time', said('Please try again in a while.'), {}, null],
    ['another unit', said('Please try again in 5 tokens.'), {}, null],
    ['a quoted text', said('Slow down. You wrote "be nice and try again in 99s".'), {}, null],
    [
      'the reset of a limit that is used up',
      said('Too fast.'),
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m30s',
        'x-ratelimit-remaining-tokens': '10',
        'x-ratelimit-reset-tokens': '9h',
      },
      90,
    ],
    [
      'no reset of a limit that is not',
      said('Too fast.'),
      { 'x-ratelimit-remaining-tokens': '10', 'x-ratelimit-reset-tokens': '6m0s' },
      null,
    ],
  ])('is read from %s', (_, body, headers, seconds) => {
    expect(failureOf(429, body, headers).retryAfter).toBe(seconds)
  })

  it('is not read from other failures', () => {
    expect(failureOf(400, said('Invalid. Please try again in 20s.')).retryAfter).toBeNull()
  })

  it('is read from a failure inside a stream', () => {
    const words = { rate_limit_exceeded: { status: 429, code: 'rate_limit_exceeded' } }
    const error = { code: 'rate_limit_exceeded', message: 'Please try again in 11s.' }
    expect(mapError(error, words).retryAfter).toBe(11)
  })
})

describe('a usage limit of ChatGPT', () => {
  const limit = { type: 'usage_limit_reached', plan_type: 'plus', resets_at: 1_795_000_600, resets_in_seconds: 600 }

  it('has its time, its type and its members for the client', () => {
    const error = failureOf(429, { error: { ...limit, message: 'The usage limit has been reached' } })
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', retryAfter: 600 })
    expect(toErrorBody(error)).toMatchObject({ error: limit })
  })

  it('has a time in seconds since 1970, which is compared with the clock of the upstream', () => {
    const { resets_in_seconds: _, ...dated } = limit
    const headers = { date: new Date(1_795_000_000_000).toUTCString() }
    expect(failureOf(429, { error: dated }, headers).retryAfter).toBe(600)
    expect(failureOf(429, { error: dated }).retryAfter).toBeNull()
  })

  it('is read only where its members have their types', () => {
    const error = failureOf(429, { error: { type: 'usage_limit_reached', plan_type: {}, resets_in_seconds: 'soon' } })
    expect(error.limit).toEqual({ type: 'usage_limit_reached' })
    expect(error.retryAfter).toBeNull()
  })
})

it.each([409, 425, 498])('the status %i means that the upstream may answer later', (status) => {
  expect(failureOf(status, { error: { message: 'not now' } })).toMatchObject({
    party: 'upstream',
    status: 503,
    code: 'server_is_overloaded',
  })
})

it('a page in front of a vendor is not put down to the key', () => {
  const page = '<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>'
  const error = failureOf(403, page)
  expect([error.code, error.status]).toEqual(['upstream_unreachable', 502])
  expect(error.message).toContain('Just a moment...')
  expect(failureOf(403, { error: { message: 'no' } }).code).toBe('upstream_authentication')
})
