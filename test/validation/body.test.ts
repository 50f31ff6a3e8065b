import { describe, expect, it } from 'vitest'
import { parseBody } from '../../src/validation/body.ts'

describe('parseBody of a request', () => {
  it('returns the parsed JSON object', () => {
    expect(parseBody('{"model":"m"}')).toEqual({ ok: true, body: { model: 'm' } })
  })

  it.each([
    ['[]', 'got a list'],
    ['[{"model":"m"}]', 'got a list'],
    ['null', 'got null'],
    ['"x"', 'got "x"'],
    ['5', 'got 5'],
  ])('rejects %s because it is not an object', (text, got) => {
    const result = parseBody(text)
    if (result.ok) return expect.unreachable()
    const { code, message, param } = result.error
    expect([code, message, param]).toEqual(['invalid_prompt', `body: expected a JSON object, ${got}`, 'body'])
  })

  it.each([
    ['', 'got nothing'],
    ['  \n', 'got nothing'],
    ['{"model":', 'got text that is not valid JSON'],
    ['undefined', 'got text that is not valid JSON'],
    [`${'['.repeat(300)}${']'.repeat(300)}`, 'at most 256 levels'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'at most 256 levels'],
  ])('rejects %.20j because it is not valid JSON or too deep', (text, reason) => {
    const result = parseBody(text)
    if (result.ok) throw new Error('accepted')
    expect(result.error).toMatchObject({ party: 'client', code: 'invalid_json', status: 400 })
    expect(result.error.message).toContain(reason)
  })
})
