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
    `refused: ${encodeURIComponent(PROMPT)}`,
    `refused: ${Buffer.from(PROMPT).toString('base64')}`,
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

  describe('that quotes its request in another encoding', () => {
    const hex = (text: string, before: string, digits: number): string =>
      Array.from(
        { length: text.length },
        (_, at) => before + text.charCodeAt(at).toString(16).padStart(digits, '0'),
      ).join('')
    const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
    const bytes = (text: string): string => Buffer.from(text).toString('latin1')
    const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
      'JSON of a body': (text) => JSON.stringify({ messages: [{ role: 'user', content: text }] }),
      'JSON in JSON': (text) => inJson(inJson(text)),
      'JSON in JSON in JSON': (text) => inJson(inJson(inJson(text))),
      'escapes of JSON': (text) => hex(text, '\\u', 4),
      'escapes in JSON in a string': (text) => inJson(hex(text, '\\u', 4)),
      'bytes of a program': (text) => hex(bytes(text), '\\x', 2),
      'a URL': (text) => encodeURIComponent(text),
      'a URL, all escaped': (text) => hex(bytes(text), '%', 2),
      'a URL in a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
      'a form': (text) => new URLSearchParams({ text }).toString(),
      'entities of HTML': (text) => Array.from(text, (one) => `&#${one.codePointAt(0)};`).join(''),
      base64: (text) => Buffer.from(text).toString('base64'),
      base64url: (text) => Buffer.from(text).toString('base64url'),
      'base64 in lines': (text) => inLines(Buffer.from(text).toString('base64'), 76, '\r\n'),
      'base64 in short lines': (text) => inLines(Buffer.from(text).toString('base64'), 12, '\n  '),
      'base64 in escaped lines': (text) => inLines(Buffer.from(text).toString('base64'), 20, '\\n'),
      'base64 in lines of JSON': (text) => inJson(inJson(inLines(Buffer.from(text).toString('base64'), 64, '\n'))),
      'composed letters': (text) => text.normalize('NFC'),
      'decomposed letters': (text) => text.normalize('NFD'),
      'decomposed letters in JSON': (text) => hex(text.normalize('NFD'), '\\u', 4),
      'decomposed letters in base64': (text) => Buffer.from(text.normalize('NFD')).toString('base64'),
    }
    const inLines = (text: string, width: number, end: string): string =>
      (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(end)
    const word = fc.stringMatching(/^[a-zéß]{12,16}$|^[а-я]{12,16}$|^[一-龥]{4,8}$/)
    const prompts = fc
      .array(fc.tuple(word, fc.constantFrom(' ', '\n', '\t', '\n\n', ', ')), { minLength: 2, maxLength: 8 })
      .map((words) => words.flat().slice(0, -1).join(''))

    it.each(Object.entries(SPELLINGS))('hides each word of it: %s', (_, spell) => {
      check(
        fc.property(prompts, fc.constantFrom('NFC', 'NFD'), (prompt, form) => {
          const body = { messages: [{ role: 'user', content: prompt.normalize(form) }] }
          const shown = runSteps(operatorText({ text: `The input "${spell(prompt)}" is refused.`, body }))
          expect(shown).toMatch(/^The input ".*" is refused\.$/s)
          for (const said of prompt.match(/\p{L}+/gu) ?? []) {
            expect(shown.normalize('NFC')).not.toContain(said)
            expect(shown).not.toContain(spell(said))
          }
        }),
        300,
      )
    })

    it('keeps a message that quotes nothing, however it is escaped', () => {
      const body = { messages: [{ role: 'user', content: PROMPT }] }
      for (const text of [
        'The path C:\\new\\table %20 is &amp; stays \\u0041bc.',
        `Request cmVxdWVzdCBudW1iZXIgb25l of ${'0123456789abcdef'.repeat(2)} failed.`,
      ])
        expect(runSteps(operatorText({ text, body }))).toBe(text)
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
