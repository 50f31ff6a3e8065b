import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clientError } from '../../src/protocol/error.ts'
import { ERROR_CODES } from '../../src/protocol/error-codes.ts'
import { lookup } from '../../src/text/lookup.ts'
import { ERROR_MAPPINGS } from '../../src/wires/shared/upstream/error-map.ts'

const SRC = new URL('../../src/', import.meta.url)
const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file.replaceAll('\\', '/'), SRC), 'utf8'))
const named = texts.flatMap((text) =>
  [...text.matchAll(/\b(?:client|upstream|gateway)Error\(\s*'(\w+)'/g)].map(([, code = '']) => code),
)
const statuses = (code: string): readonly number[] => lookup<readonly number[]>(ERROR_CODES, code) ?? []

describe('the table of error codes', () => {
  it('contains every code that the sources use', () => {
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((code) => statuses(code).length === 0)).toEqual([])
  })

  it('contains every code of the upstream errors, with its status', () => {
    const strange = Object.values(ERROR_MAPPINGS).filter(({ code, status }) => !statuses(code).includes(status))
    expect(strange).toEqual([])
  })

  it('gives a failure the status of its code', () => {
    expect(clientError('request_too_large', 'x').status).toBe(413)
    expect(clientError('previous_response_not_found', 'x').status).toBe(400)
    expect(clientError('a word of a vendor', 'x').status).toBe(400)
    expect(clientError('rate_limit_exceeded', 'x', null, 400).status).toBe(400)
  })

  it('contains only lower-case codes with statuses of errors', () => {
    for (const [code, list] of Object.entries(ERROR_CODES)) {
      expect(code).toMatch(/^[a-z_]+$/)
      for (const status of list) expect(status).toBeGreaterThanOrEqual(400)
    }
  })
})
