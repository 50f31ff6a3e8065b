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
