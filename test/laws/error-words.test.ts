import { expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { optionsOf } from '../engine/run-engine.ts'

/** A failure inside an HTTP 200 in the words of another protocol has the same code on every wire. */

const WORDS: Readonly<Record<string, readonly string[]>> = {
  rate_limit_exceeded: [
    'rate_limit_exceeded',
    'rate_limit_error',
    'RESOURCE_EXHAUSTED',
    'resource_exhausted',
    'ThrottlingException',
    'Throttling.RateQuota',
    'RateLimitExceeded.EndpointRPMExceeded',
    'litellm.RateLimitError',
    'too-many-requests',
  ],
  server_is_overloaded: [
    'overloaded_error',
    'UNAVAILABLE',
    'unavailable',
    'serviceUnavailableException',
    'ServerOverloaded',
  ],
  insufficient_quota: ['insufficient_quota', 'AccountOverdueError', 'Arrearage'],
  content_filter: ['content_filter', 'ContentPolicyViolationError', 'OutputTextSensitiveContentDetected.TextRisk'],
  context_length_exceeded: ['context_length_exceeded', 'ContextWindowExceededError'],
  upstream_authentication: ['authentication_error', 'UNAUTHENTICATED', 'invalid_api_key', 'PERMISSION_DENIED'],
  upstream_timeout: ['DEADLINE_EXCEEDED', 'deadline_exceeded'],
  server_error: ['constructor', 'A_WORD_OF_TOMORROW'],
}

it.each(Object.values(WIRES))('the code of a failure of $name is that of its word in any protocol', (wire) => {
  for (const [wanted, words] of Object.entries(WORDS))
    for (const word of words)
      for (const error of [
        { code: word, message: 'M' },
        { type: word, message: 'M' },
      ]) {
        const body = wire.name === 'anthropic-messages' ? { type: 'error', error } : { error }
        const { outcome } = translateWholeBody(optionsOf(openai, {}, 'x', wire), JSON.stringify(body))
        expect([error, outcome.error?.code]).toEqual([error, wanted])
      }
})
