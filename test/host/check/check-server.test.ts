import { describe, expect, it } from 'vitest'
import { boundsOf, checkServer } from '../../../src/api/check-server/check-server.ts'
import type { CheckedProtocol } from '../../../src/api/check-server/protocols.ts'
import { MOCK_FAULTS } from '../../../src/testing/mock/faults.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { IS_WHOLE } from '../../property.ts'
import { isFault, modelFor, PROTOCOL_NAMES, PROTOCOLS, startMock } from './checked-servers.ts'

/** The checker of live servers: no finding for a right mock, and the finding of each defect. */

describe('a check of a mock', () => {
  it.each(PROTOCOL_NAMES)('finds nothing in its answers of %s', async (protocol) => {
    const url = await startMock({ key: 'sk-mock' })
    const report = await checkServer({ url: url + PROTOCOLS[protocol].mock, key: 'sk-mock', model: 'script', protocol })
    expect(report.rows.filter(isFault)).toEqual([])
  })

  const protocolOf = (wire: WireName): CheckedProtocol =>
    PROTOCOL_NAMES.find((name) => PROTOCOLS[name].wire === wire) as CheckedProtocol

  // A stream that is held takes its time: a short run has it in one protocol.
  const faults = Object.entries(MOCK_FAULTS).filter(
    ([name, { held }]) => IS_WHOLE || held !== true || name === 'chat-held',
  )

  it.each(faults)('finds the defect %s', async (name, { wire, row, rule, beside = [] }) => {
    const protocol = protocolOf(wire)
    const url = (await startMock()) + PROTOCOLS[protocol].mock
    const only = [...beside, row]
    const { rows } = await checkServer({ url, model: `${modelFor(only)}+fault-${name}`, protocol, only })
    expect(rows.find((one) => one.name === row)?.findings.map((finding) => finding.rule)).toContain(rule)
  })
})

describe('a check', () => {
  it('sends no more requests than its bound', async () => {
    const paths: string[] = []
    const url = await startMock({ onRequest: ({ path }) => void paths.push(path) })
    const report = await checkServer({ url: `${url}/v1`, model: 'script', protocol: 'chat', maxRequests: 5 })
    expect([paths.length, report.requests]).toEqual([5, 5])
    expect(report.rows.filter(isFault)).toEqual([])
    expect(report.rows.at(-1)).toMatchObject({ status: 'not shown', reason: 'the bound of 5 requests is reached' })
  })

  it('requests no more output tokens than its bound', async () => {
    const url = await startMock()
    const options = { url: `${url}/v1`, model: 'script', protocol: 'chat', maxOutputTokens: 1000 } as const
    const report = await checkServer(options)
    expect(report.outputTokens).toBeLessThanOrEqual(1000)
    expect(report.rows.at(-1)?.reason).toBe('the bound of 1000 output tokens is reached')
  })

  it('announces at least as many requests as it sends', async () => {
    const url = await startMock({ key: 'sk-mock' })
    const options = { url: `${url}/v1`, key: 'sk-mock', model: 'script', protocol: 'messages' } as const
    const report = await checkServer(options)
    expect(report.requests).toBeLessThanOrEqual(boundsOf(options).requests)
    expect(report.outputTokens).toBeLessThanOrEqual(boundsOf(options).outputTokens)
  })

  it('stops after the first row if the key is wrong, and never shows the key', async () => {
    const url = await startMock({ key: 'sk-mock' })
    const report = await checkServer({ url: `${url}/v1`, key: 'sk-other-secret', model: 'script', protocol: 'chat' })
    expect(report.requests).toBe(2)
    expect(report.rows[0]).toMatchObject({ status: 'failed', findings: [{ rule: 'status' }, { rule: 'status' }] })
    expect(report.rows[1]).toMatchObject({ status: 'not shown', reason: 'the first request failed' })
    expect(JSON.stringify(report)).not.toContain('sk-other-secret')
  })

  it('hides a key that the server repeats', async () => {
    const echo: typeof fetch = async (_, init) => {
      const key = new Headers(init?.headers).get('authorization')
      return Response.json({ error: { message: `not allowed: ${key}`, type: 'x' } }, { status: 401 })
    }
    const report = await checkServer({ url: 'https://api.example/v1', key: 'sk-secret', model: 'm', fetch: echo })
    expect(report.rows[0]?.findings[0]?.message).toContain('not allowed: Bearer …')
    expect(JSON.stringify(report)).not.toContain('sk-secret')
  })

  it('does not show a row that the model answers in other words each time', async () => {
    let count = 0
    const url = await startMock()
    const varied: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      count += 1
      const text = (await response.text()).replace('good', `good${'!'.repeat(count)}`)
      return new Response(text, { status: response.status, headers: response.headers })
    }
    const options = { url: `${url}/v1`, model: 'script', protocol: 'chat', only: ['text'], fetch: varied } as const
    const { rows, requests } = await checkServer(options)
    expect(rows).toMatchObject([{ status: 'not shown', reason: 'the model answers in other words each time' }])
    expect(requests).toBe(4)
  })

  it('accepts answers of Gemini without the version of the model', async () => {
    const url = await startMock()
    const without: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      const text = (await response.text()).replaceAll(/"modelVersion":"[^"]+",?/g, '')
      return new Response(text, { status: response.status, headers: response.headers })
    }
    const options = { url: `${url}/v1beta`, model: 'script', protocol: 'gemini', only: ['text'] } as const
    expect((await checkServer({ ...options, fetch: without })).rows).toMatchObject([{ status: 'passed' }])
  })

  it.each(['streamed', 'whole'] as const)('sends only requests of the form that is checked, here %s', async (form) => {
    const forms: unknown[] = []
    const url = await startMock()
    const spy: typeof fetch = (input, init) => {
      forms.push(JSON.parse(String(init?.body)).stream === true ? 'streamed' : 'whole')
      return fetch(input, init)
    }
    const only = ['text', 'tool', 'cancel', 'concurrent']
    const options = { url: `${url}/v1`, model: 'script', protocol: 'chat', only, form, fetch: spy } as const
    const { rows } = await checkServer(options)
    expect(new Set(forms)).toEqual(new Set([form]))
    const ofStreams = form === 'streamed' ? 'passed' : 'not shown'
    expect(rows.map(({ status }) => status)).toEqual(['passed', 'passed', ofStreams, ofStreams])
  })

  it('finds in one form what is wrong with it', async () => {
    const url = await startMock()
    const options = { url: `${url}/v1`, model: 'script+fault-chat-usage-total', protocol: 'chat' } as const
    const { rows } = await checkServer({ ...options, only: ['text'], form: 'streamed' })
    expect(rows[0]).toMatchObject({ status: 'failed', findings: [{ rule: 'usage', form: 'streamed' }] })
  })

  it('shows no row whose feature the model does not have, and no defect in its refusal', async () => {
    const refuse: typeof fetch = async () =>
      Response.json({ error: { message: 'Tools are not supported.', type: 'invalid_request_error' } }, { status: 400 })
    const options = { url: 'https://api.example/v1', model: 'm', only: ['tool'], fetch: refuse }
    const { rows } = await checkServer(options)
    expect(rows).toMatchObject([{ status: 'not shown', reason: 'status 400: Tools are not supported.' }])
  })

  it('rejects a URL, a protocol, a row and a form that are none', async () => {
    const options = { url: 'https://api.example/v1', model: 'm' }
    await expect(checkServer({ ...options, url: 'api.example' })).rejects.toThrow('url: expected a base URL')
    await expect(checkServer({ ...options, protocol: 'other' as 'chat' })).rejects.toThrow('protocol: expected one of')
    await expect(checkServer({ ...options, only: ['other'] })).rejects.toThrow('only: expected names of text')
    await expect(checkServer({ ...options, form: 'half' as 'whole' })).rejects.toThrow('form: expected one of')
  })
})
