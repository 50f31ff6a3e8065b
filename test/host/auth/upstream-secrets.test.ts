import { describe, expect, it } from 'vitest'
import { secretsIn } from '../../../src/gateway/auth/upstream-secrets.ts'

const BASE = 'https://upstream.example/v1'
const inHeader = (name: string, value: string): readonly string[] =>
  secretsIn({ key: null, headers: { [name]: value }, baseUrl: BASE })
const inUrl = (query: string): readonly string[] => secretsIn({ key: null, baseUrl: `${BASE}?${query}` })

describe('the secrets of an account', () => {
  it.each([
    ['x-gate', 'abcd1234', ['abcd1234']],
    ['x-gate', 'Bearer abcd1234', ['Bearer abcd1234', 'abcd1234']],
    ['x-gate', 'Bearer abc', ['Bearer abc']],
    ['x-gate', 'abcd123', []],
    ['x-api-key', 'abcd123', ['abcd123']],
    ['proxy-authorization', 'Basic YTpwdw==', ['Basic YTpwdw==', 'YTpwdw==', 'a:pw', 'pw']],
    ['User-Agent', 'a-program-of-ours/1.0', []],
    ['anthropic-version', '2023-06-01', []],
    ['Content-Type', 'application/json', []],
  ])('contain of the header %s: %s', (name, value, secrets) => {
    expect([...new Set(inHeader(name, value))]).toEqual(secrets)
  })

  it.each([
    ['subscription=abcd1234', ['abcd1234']],
    ['subscription=abcd123', []],
    ['code=abc', ['abc']],
    ['api-version=2026-01-01-preview', []],
    ['alt=a-long-value&tenant=the%20tenant', ['the tenant']],
  ])('contain of the parameters %s', (query, secrets) => {
    expect(inUrl(query)).toEqual(secrets)
  })
})
