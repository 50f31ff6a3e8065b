import { describe, expect, it } from 'vitest'
import {
  collectResponse,
  createTranslator,
  type Outcome,
  streamEvents,
  translateStream,
  type UpstreamOptions,
  type WireName,
} from '../../src/index.ts'
import { findVendor, findVendorAt, VENDOR_NAMES } from '../../src/vendors/registry.ts'

/** Answers to a missing or wrong key, as the vendors send them, and a part of the message. */
const REFUSALS: readonly (readonly [vendor: string, status: number, body: string, message: string])[] = [
  [
    'anthropic',
    401,
    '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
    'invalid x',
  ],
  [
    'google',
    400,
    '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}',
    'not valid',
  ],
  [
    'vertex',
    401,
    '{"error":{"code":401,"message":"Request is missing required authentication credential.","status":"UNAUTHENTICATED"}}',
    'is missing',
  ],
  ['bedrock', 403, '{"message":"Missing Authentication Token"}', 'Missing Authentication'],
  ['cohere', 401, '{"id":"1","message":"no api key supplied"}', 'no api key'],
  [
    'openai',
    401,
    '{"error":{"message":"Incorrect API key provided: undefined.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}',
    'undefined',
  ],
  [
    'groq',
    401,
    '{"error":{"message":"Invalid API Key","type":"invalid_request_error","code":"invalid_api_key"}}',
    'Invalid API Key',
  ],
  ['openrouter', 401, '{"error":{"message":"No auth credentials found","code":401}}', 'No auth'],
  ['mistral', 401, '{"message":"Unauthorized","request_id":"1"}', 'Unauthorized'],
  [
    'deepseek',
    401,
    '{"error":{"message":"Authentication Fails (governor)","type":"authentication_error","param":null,"code":"invalid_request_error"}}',
    'Authentication Fails',
  ],
  [
    'xai',
    400,
    '{"code":"Client specified an invalid argument","error":"Incorrect API key provided: ab***yz."}',
    'Incorrect API key',
  ],
  [
    'perplexity',
    401,
    '<html>\r\n<head><title>401 Authorization Required</title></head>\r\n<body>openresty</body></html>',
    'Authorization Required',
  ],
  ['huggingface', 401, '{"error":"Invalid username or password."}', 'Invalid username'],
]

const refusal = (status: number, body: string, url = ''): Response => {
  const response = new Response(body, { status, headers: { 'content-type': 'application/json' } })
  return Object.defineProperty(response, 'url', { value: url })
}

interface Refused {
  readonly status: number
  readonly message: string
  readonly remedy: string | null
}

async function refused(upstream: UpstreamOptions, response: Response): Promise<Refused> {
  const remedies: (string | null)[] = []
  const onOutcome = ({ remedy }: Outcome): void => void remedies.push(remedy)
  const translator = createTranslator({ upstream: { model: 'm', ...upstream }, onOutcome })
  const call = translator.encodeRequest({ model: 'm', input: 'Hi' })
  if (!call.ok) return expect.unreachable(call.error.message)
  const answer = await translator.toResponse(response, call)
  const { message } = (await answer.json()).error
  return { status: answer.status, message, remedy: remedies[0] ?? null }
}

describe.each(REFUSALS)('a key that %s refuses with HTTP %i', (vendor, status, body, message) => {
  const row = findVendor(vendor) ?? expect.unreachable()
  const variable = row.keyVariable ?? expect.unreachable()
  // Vertex and Bedrock have base URLs of their accounts.
  const baseUrl = row.baseUrl === null || row.baseUrl.includes('{') ? 'https://a.example/v1' : undefined

  it('is explained to the program of createTranslator, and not to its clients', async () => {
    const upstream = { vendor, baseUrl }
    const missing = await refused(upstream, refusal(status, body))
    expect(missing).toMatchObject({ status: 502, message: expect.stringContaining(message) })
    expect(missing.message).not.toContain(variable)
    expect(missing.message).toMatch(new RegExp(`^(?:HTTP ${status}: |.*HTTP ${status} )`))
    const remedy = `The request had no key: set the environment variable ${variable}, and pass it as upstream.apiKey.`
    expect(missing.remedy).toBe(remedy)
    expect(await refused({ ...upstream, apiKey: '' }, refusal(status, body))).toEqual(missing)
    const wrong = await refused({ ...upstream, apiKey: 'a-wrong-key' }, refusal(status, body))
    expect(wrong.remedy).toBe(`Check upstream.apiKey, usually from ${variable}.`)
    const headers = { Authorization: 'Bearer a-wrong-key' }
    const own = await refused({ ...upstream, headers }, refusal(status, body))
    expect(own.remedy).toBe('Check the credentials in upstream.headers.')
  })

  it('is explained by functions for streams, by the vendor of their options or the URL of the answer', async () => {
    const from: WireName = row.wire
    const remedy = `Set the environment variable ${variable} to a valid key, and send it with the request.`
    const answers = [collectResponse(refusal(status, body), { from, vendor })]
    if (baseUrl === undefined) answers.push(collectResponse(refusal(status, body, `${row.baseUrl}/x`), { from }))
    for (const answer of answers) {
      const { error } = await answer
      expect(error?.message).toContain(message)
      expect(error?.message).not.toContain(variable)
      expect(await answer.outcome).toMatchObject({ remedy, upstream: { status, text: body } })
    }
    const stream = translateStream(refusal(status, body), { from, vendor })
    await new Response(stream).text()
    const events = streamEvents(refusal(status, body), { from, vendor })
    for await (const _ of events);
    for (const { outcome } of [stream, events])
      expect((await outcome).error).toMatchObject({
        code: 'upstream_authentication',
        message: (await answers[0])?.error?.message,
      })
  })
})

describe('the vendor of a URL', () => {
  it('has the base URL with which it begins', () => {
    const found = VENDOR_NAMES.flatMap((name) => findVendor(name) ?? [])
    for (const { baseUrl, keyVariable } of found)
      if (baseUrl !== null) expect(findVendorAt(`${baseUrl}/models`)?.keyVariable, baseUrl).toBe(keyVariable)
    expect(findVendorAt('https://api.openai.com.a.example/v1/models')).toBeUndefined()
    expect(findVendorAt('http://127.0.0.1:8080/v1')).toBeUndefined()
  })

  it('adds nothing to other failures', async () => {
    const limited = await refused({ vendor: 'groq' }, refusal(429, '{"error":{"message":"Slow."}}'))
    expect(limited.message).toBe('HTTP 429: Slow.')
    const unknown = await collectResponse(refusal(401, '{"error":"No."}'), { from: 'openai-chat' })
    expect(unknown.error?.message).toBe('HTTP 401: No.')
  })
})
