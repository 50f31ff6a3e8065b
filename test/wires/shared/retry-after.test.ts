import { describe, expect, it } from 'vitest'
import { openaiResponses } from '../../../src/wires/openai-responses/index.ts'
import { resetOf, retryAfterIn } from '../../../src/wires/shared/upstream/retry-after.ts'

const DATE = 'Sat, 28 Nov 2026 12:00:00 GMT'

describe('the time that a message names', () => {
  it.each([
    ['Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000. Please try again in 6m0s.', 360],
    ['Please try again in 20ms.', 1],
    ['Please try again in 1.202s. Visit the page.', 2],
    ['Please try again in 1h2m3s', 3723],
    ['Please retry after 10 seconds.', 10],
    ['Please retry in 36.5s.', 37],
    ['Try again in 2 days, 3 hours', 86_400],
    ['Try again in 5 minutes and 30 seconds.', 330],
    ['Please try again later.', null],
    ['Try again in a moment.', null],
    ['The function "try again in 5 x" is unknown', null],
  ])('is read from %j', (message, seconds) => expect(retryAfterIn(message)).toBe(seconds))
})

describe('the time at which limits are reset', () => {
  it.each([
    [{ 'x-ratelimit-reset-requests': '6m0s' }, 360],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }, 1],
    [
      {
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '2m59.56s',
      },
      180,
    ],
    [{ 'x-ratelimit-reset': '1795867230', date: DATE }, 30],
    [{ 'x-ratelimit-reset': '1795867230000', date: DATE }, 30],
    [{ 'x-ratelimit-reset': '1795867230' }, null],
    [
      {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-11-28T12:01:00Z',
        'anthropic-ratelimit-tokens-remaining': '9',
        'anthropic-ratelimit-tokens-reset': '2026-11-28T13:00:00Z',
        date: DATE,
      },
      60,
    ],
    [{ 'x-ratelimit-reset-tokens': 'soon' }, null],
    [{}, null],
  ])('is read from %j', (headers, seconds) => expect(resetOf(headers)).toBe(seconds))
})

describe('the limit of a subscription', () => {
  const failure = (error: object, headers = {}) =>
    openaiResponses.decodeError(429, headers, JSON.stringify({ error: { type: 'usage_limit_reached', ...error } }))

  it.each([
    [{ resets_in_seconds: 3600 }, {}, 3600],
    [{ resets_at: 1_795_867_230 }, { date: DATE }, 30],
    [{ resets_at: 1_795_867_230 }, {}, null],
    [{ resets_in_seconds: 3600 }, { 'retry-after': '7' }, 7],
  ])('%j with the headers %j is a pause of %s seconds', (times, headers, retryAfter) => {
    const error = failure({ message: 'The usage limit has been reached', plan_type: 'plus', ...times }, headers)
    const limit = { type: 'usage_limit_reached', plan_type: 'plus', ...times }
    expect(error).toMatchObject({ code: 'usage_limit_reached', status: 429, retryAfter, limit })
  })
})
