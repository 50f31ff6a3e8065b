import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UpstreamRequest } from '../../src/gateway/upstream/transport.ts'
import { parseJson } from '../../src/text/json.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { modelNames } from '../arbitraries/model-names.ts'
import { checkAsync } from '../property.ts'
import { createInProcessGateway, toHttp } from './in-process.ts'
import { KEY, type Loose, sha256 } from './test-server.ts'

/** No model name makes a request leave the base URL of its vendor, on any route. */

/** Every row of the table and every wire, each with a base URL and a key of its own. */
const BASES: ReadonlyMap<string, string> = new Map([
  ...VENDOR_NAMES.map((name) => [name, `https://${name}.example/v1/projects/OURS/`] as const),
  ...Object.keys(WIRES).flatMap((wire) => [
    [`own-${wire}`, `https://own-${wire}.example`] as const,
    [`query-${wire}`, `https://query-${wire}.example:8443/a/b?api-version=1`] as const,
  ]),
])

const wireOf = (name: string): { readonly wire?: string } => {
  const wire = name.replace(/^(?:own|query)-/, '')
  return wire === name ? {} : { wire }
}

const keyOf = (name: string): string => `key-of-${name}`

const vendors = Object.fromEntries(
  [...BASES].map(([name, base_url]) => [
    name,
    {
      ...wireOf(name),
      base_url,
      ...(findVendor(name)?.awsService === undefined
        ? { key: keyOf(name) }
        : { aws: { region: 'eu-west-1', access_key_id: keyOf(name), secret_access_key: 'x' } }),
    },
  ]),
)

const calls: UpstreamRequest[] = []
const { send, takeLines } = createInProcessGateway(
  { keys: [{ name: 'tester', sha256: sha256(KEY) }], vendors, retry: { attempts: 1 } },
  {
    answer: (call) => {
      calls.push(call)
      return { status: 404, headers: {}, chunks: [] }
    },
  },
)

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
const HI = [{ role: 'user', content: 'Hi' }]
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }

type Ask = (model: string) => string

const inBody =
  (path: string, body: object): Ask =>
  (model) =>
    toHttp('POST', path, HEADERS, JSON.stringify({ model, ...body }))

const CONTROL = /[\p{Cc}\s]|[^\0-\uffff]/gu

const escapeAll = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))

/** The ways in which clients escape a name in a path. A request line must not contain control characters or spaces. */
const SPELLINGS: Readonly<Record<string, (model: string) => string>> = {
  'as it is': (model) =>
    Buffer.from(model.replace(CONTROL, encodeURIComponent))
      .toString('latin1')
      .replace(/[\x80-\xa0]/g, '_'),
  escaped: (model) => escapeAll(model),
  'escaped but for slashes': (model) => escapeAll(model).replaceAll('%2F', '/'),
  'escaped twice': (model) => encodeURIComponent(escapeAll(model)),
}

const inPath = (start: string, end: string): readonly Ask[] =>
  Object.values(SPELLINGS).map(
    (spell) => (model) => toHttp('POST', start + spell(model) + end, HEADERS, JSON.stringify(CONTENTS)),
  )

const ROUTES: readonly Ask[] = ['/api/v1', '/openai/v1'].flatMap((mount) => [
  inBody(`${mount}/responses`, { input: 'Hi' }),
  inBody(`${mount}/responses`, { input: 'Hi', stream: true }),
  inBody(`${mount}/responses/compact`, { input: 'Hi' }),
  inBody(`${mount}/chat/completions`, { messages: HI }),
  inBody(`${mount}/messages`, { messages: HI, max_tokens: 9, stream: true }),
  inBody(`${mount}/api/chat`, { messages: HI }),
  ...inPath(`${mount}/models/`, ':generateContent'),
  ...inPath(`${mount}/models/`, ':streamGenerateContent?alt=sse'),
  ...inPath(`${mount}/`, ':generateContent'),
])
const V1BETA: readonly Ask[] = inPath('/api/v1beta/models/', ':streamGenerateContent')
const ASKS = [...ROUTES, ...V1BETA]

/** Query parameters that a wire adds itself. */
const OWN_PARAMETERS = new Set(['alt', 'api-version', 'beta'])

function expectBelow(call: UpstreamRequest): void {
  const { url, headers } = call
  const name = [...BASES.keys()].find((one) => new URL(BASES.get(one) ?? '').origin === url.origin) ?? url.origin
  const base = new URL(BASES.get(name) ?? 'none://')
  const above = base.pathname.replace(/\/+$/, '')
  // The target as it is written on the connection and parsed by the server.
  const target = url.pathname + url.search
  expect(target).toMatch(/^\/[\x21-\x7e]*$/)
  expect(target).not.toContain('#')
  const read = new URL(url.origin + target)
  expect(read.href).toBe(url.href)
  expect(url.href).toBe(`${base.origin}${target}`)
  expect(url.pathname.startsWith(`${above}/`)).toBe(true)
  expect(decodeURIComponent(url.pathname).split(/[/\\]/)).not.toContain('..')
  expect([...url.searchParams.keys()].filter((key) => !OWN_PARAMETERS.has(key))).toEqual([])
  expect(url.searchParams.get('api-version')).toBe(base.searchParams.get('api-version'))
  // The request has the credentials of this vendor and of no other.
  const sent = JSON.stringify(headers)
  expect(sent).toContain(keyOf(name))
  const others = [...BASES.keys()].filter((other) => other !== name && !keyOf(name).startsWith(keyOf(other)))
  expect(others.filter((other) => sent.includes(`${keyOf(other)}"`))).toEqual([])
}

/** Returns the status and the error message, in the error format of any client API. */
function refusalIn(answer: Buffer): readonly [status: number, message: string] {
  const [head = '', body = ''] = answer.toString().split('\r\n\r\n')
  const { error } = (parseJson(body) ?? {}) as Loose
  return [Number(head.split(' ')[1]), typeof error === 'string' ? error : (error?.message ?? '')]
}

const REFUSED =
  /^model: |^This server has no endpoint|^The request is not valid HTTP|^The path must not be longer|^The vendor ".*" |^This path does not support|^The headers are larger/

describe('a random name of a model', () => {
  it('causes a rejection with its reason, or a request below the base URL of its vendor', async () => {
    let sent = 0
    let refused = 0
    const property = fc.asyncProperty(
      fc.constantFrom(...BASES.keys(), ''),
      modelNames,
      fc.constantFrom(...ASKS),
      async (vendor, name, ask) => {
        calls.length = 0
        const answer = await send(ask(vendor === '' ? name : `${vendor}/${name}`))
        takeLines()
        for (const call of calls) expectBelow(call)
        const [status, message] = refusalIn(answer)
        sent += calls.length
        if (calls.length > 0) return
        refused += 1
        // An unescaped name may contain a key parameter of its own: `?key=1`.
        if (status === 401) return
        expect([400, 404, 405, 414, 431]).toContain(status)
        expect(message).toMatch(REFUSED)
      },
    )
    await checkAsync(property)
    // Both outcomes occur.
    expect(sent).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(0)
  })
})
