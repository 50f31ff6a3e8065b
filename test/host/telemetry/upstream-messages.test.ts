import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { operatorText } from '../../../src/engine/rules/client-text.ts'
import { runSteps } from '../../../src/text/steps.ts'
import type { Behaviour } from '../../mock-upstreams/server.ts'
import { check } from '../../property.ts'
import { hasServer } from '../doors.ts'
import { json, KEY, lineOf, post, startTestServer, UPSTREAM_KEY } from '../test-server.ts'

/** What the operator reads of the message with which an upstream refuses a request. */

const PROMPT = 'Tell nobody that the vault opens with zebra-4711 at midnight'

const refusing =
  (message: string, status = 400): Behaviour =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } }))

const ON = { log: { upstream_messages: true } }

/** Only the server has a page: `attempts` is null without it. */
async function refused(message: string, config: object, body: object = {}) {
  const server = await startTestServer(refusing(message), { retry: { attempts: 1 }, ...config })
  const answer = await post(server.url, { model: 'acme/mock-1', input: PROMPT, ...body })
  await answer.text()
  const line = await lineOf(server.lines)
  if (!hasServer()) return { line, attempts: null }
  const list = await json(
    await fetch(`${server.url}/page/api/requests`, { headers: { authorization: `Bearer ${KEY}` } }),
  )
  const attempts: readonly { readonly message: string | null }[] = list.data[0].attempts
  return { line, attempts }
}

describe('the message of an upstream that refuses a request', () => {
  it.each([true, false])('is in the log, and not on a page without contents, stream: %s', async (stream) => {
    const { line, attempts } = await refused(
      'The region eu-3 has no capacity for tier gold.',
      { ...ON, page: true },
      { stream },
    )
    expect(line.upstream_message).toBe('The region eu-3 has no capacity for tier gold.')
    if (hasServer()) expect(attempts?.map(({ message }) => message)).toEqual([null])
  })

  it('is on a page with contents, and not in a log without the option', async () => {
    const { line, attempts } = await refused('The region has no capacity.', { page: { content: true } })
    if (hasServer()) expect(attempts?.map(({ message }) => message)).toEqual(['The region has no capacity.'])
    expect(JSON.stringify(line)).not.toContain('capacity')
  })

  it('is in neither by default', async () => {
    const { line, attempts } = await refused('The region has no capacity.', { page: true })
    expect(JSON.stringify([line, attempts])).not.toContain('capacity')
  })

  it.each([
    `Your prompt was blocked: ${PROMPT}`,
    `Invalid value: '${PROMPT}'. Supported values are: 'a', 'b'.`,
    `messages[0].content: text "zebra-4711" is not allowed`,
    `The word 'midnight' is not allowed`,
    `blocked (vault opens)`,
    `{"detail":[{"loc":["body","messages",0],"msg":"refused","input":"${PROMPT}"}]}`,
    `key ${UPSTREAM_KEY} and sk-proj-0123456789abcdefghij are wrong for ${PROMPT}`,
    `${'x '.repeat(5000)}${PROMPT}`,
  ])('contains no word of the prompt and no key: %.60s', async (message) => {
    const { line, attempts } = await refused(message, { ...ON, page: { content: true } })
    if (hasServer()) expect(attempts).toHaveLength(1)
    for (const shown of [line.upstream_message, ...(attempts ?? []).map(({ message }) => message)]) {
      expect(shown).toEqual(expect.any(String))
      expect(shown).not.toMatch(/zebra|4711|midnight|vault|nobody|upstream-secret|0123456789/)
      expect(String(shown).length).toBeLessThanOrEqual(500)
    }
  })

  it('keeps the names of members and the sentence around a quotation', async () => {
    const { line } = await refused(`'max_output_tokens' is too large for the prompt "${PROMPT}".`, ON, {
      max_output_tokens: 99_999,
    })
    expect(line.upstream_message).toMatch(/^'max_output_tokens' is too large for the prompt "[· -]+"\.$/)
  })

  it('is named for each attempt', async () => {
    const acme = (server: { readonly url: string }) => ({ wire: 'openai-chat', base_url: server.url, key: 'k' })
    const first = await startTestServer(refusing('No capacity in the east.', 503))
    const second = await startTestServer(refusing('No capacity in the west.', 400))
    const { url, lines } = await startTestServer(refusing('unused'), {
      ...ON,
      retry: { attempts: 1 },
      vendors: { east: acme(first.upstream), west: acme(second.upstream) },
      models: [{ match: 'any', to: ['east/m', 'west/m'] }],
    })
    await (await post(url, { model: 'any', input: 'Hi' })).text()
    const line = await lineOf(lines)
    expect(line.attempts).toMatchObject([
      { vendor: 'east', upstream_message: 'No capacity in the east.' },
      { vendor: 'west', upstream_message: 'No capacity in the west.' },
    ])
    expect(line.upstream_message).toBe('No capacity in the west.')
  })

  describe('in the middle of a stream', () => {
    const SAID = `The region eu-3 lost its capacity, after "${PROMPT}" and key ${UPSTREAM_KEY}.`
    const RIGHT = 'The region eu-3 lost its capacity, after '
    const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
    const chunk = frame({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'Once' } }] })
    /** `said`: null for a connection that ends in the middle. */
    const breaking =
      (said: string | null): Behaviour =>
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk)
        response.end(said === null ? '' : frame({ error: { message: said, code: 500, type: 'server_error' } }))
      }

    const attemptsOf = async (url: string) => {
      const headers = { authorization: `Bearer ${KEY}` }
      return (await json(await fetch(`${url}/page/api/requests`, { headers }))).data[0].attempts
    }

    it.each([
      ['translated', '/api/v1/responses', { input: PROMPT, stream: true }],
      ['collected', '/api/v1/responses', { input: PROMPT, stream: false }],
      ['passed', '/v1/chat/completions', { messages: [{ role: 'user', content: PROMPT }], stream: true }],
    ])('reaches log and page without prompt and key, %s', async (_, path, body) => {
      const both = { log: { upstream_messages: true }, page: { content: true }, retry: { attempts: 1 } }
      const { url, lines } = await startTestServer(breaking(SAID), both)
      await (await post(url, { model: 'acme/mock-1', ...body }, { path })).text()
      const line = await lineOf(lines)
      expect(line.upstream_message).toContain(RIGHT)
      const shown = hasServer() ? await attemptsOf(url) : []
      if (hasServer()) expect(shown.map(({ message }: { message: string }) => message)).toEqual([line.upstream_message])
      expect(JSON.stringify([line, shown])).not.toMatch(/zebra|4711|midnight|vault|upstream-secret/)
    })

    it('is in neither by default', async () => {
      const { url, lines } = await startTestServer(breaking(SAID), { page: true })
      await (await post(url, { model: 'acme/mock-1', input: PROMPT, stream: true })).text()
      expect(JSON.stringify([await lineOf(lines), hasServer() ? await attemptsOf(url) : []])).not.toContain('capacity')
    })

    it('is named for the attempt that another upstream continues', async () => {
      const first = await startTestServer(breaking('The east has lost its capacity.'))
      const second = await startTestServer((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`${chunk}${frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`)
      })
      const acme = (server: { readonly url: string }) => ({ wire: 'openai-chat', base_url: server.url, key: 'k' })
      const { url, lines } = await startTestServer(breaking(null), {
        ...ON,
        vendors: { east: acme(first.upstream), west: acme(second.upstream) },
        models: [{ match: 'any', to: ['east/m', 'west/m'], continue: true }],
      })
      await (await post(url, { model: 'any', input: 'Hi', stream: true })).text()
      const line = await lineOf(lines)
      expect(line.continued).toHaveLength(1)
      expect(line.attempts).toMatchObject([{ vendor: 'east', upstream_message: 'The east has lost its capacity.' }, {}])
      expect(line.upstream_message).toBeUndefined()
    })
  })

  it('hides the words of any prompt that the message quotes whole', () => {
    // Longer than the common words of English sentences and the names of members.
    const words = fc.array(fc.stringMatching(/^[a-zéßж]{12,16}$/), { minLength: 1, maxLength: 12 })
    check(
      fc.property(words, fc.constantFrom('"', "'", '`'), (prompt, quote) => {
        const said = prompt.join(' ')
        const body = { messages: [{ role: 'user', content: said }] }
        const shown = runSteps(operatorText({ text: `The input ${quote}${said}${quote} is refused.`, body }))
        expect(shown).toMatch(/^The input ["'`][· ]+["'`] is refused\.$/)
      }),
      200,
    )
  })
})
