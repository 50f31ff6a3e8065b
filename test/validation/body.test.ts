import { describe, expect, it } from 'vitest'
import { parseBody } from '../../src/validation/body.ts'

describe('parseBody', () => {
  it('gives the JSON', () => {
    expect(parseBody('{"model":"m"}')).toEqual({ ok: true, body: { model: 'm' } })
  })

  it.each([
    ['', 'got nothing'],
    ['  \n', 'got nothing'],
    ['{"model":', 'got a text that is no JSON'],
    ['undefined', 'got a text that is no JSON'],
    [`${'['.repeat(300)}${']'.repeat(300)}`, 'at most 256 levels'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'at most 256 levels'],
  ])('refuses %.20j', (text, reason) => {
    const result = parseBody(text)
    if (result.ok) throw new Error('accepted')
    expect(result.error).toMatchObject({ party: 'client', code: 'invalid_json', status: 400 })
    expect(result.error.message).toContain(reason)
  })
})
