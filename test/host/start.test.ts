import { describe, expect, it } from 'vitest'
import { CONFIG } from '../../src/gateway/config/config.ts'
import { type RunningServer, start } from '../../src/host/start.ts'
import { ONE_OF_EACH } from './telemetry/telemetry-server.ts'
import { post, sha256, typesOf, whenDone } from './test-server.ts'

const env = { MILLRACE_DEV_KEY: 'key-of-a-started-server', PORT: '0' }
const headers = { authorization: `Bearer ${env.MILLRACE_DEV_KEY}` }
const own = async (starting: Promise<RunningServer>): Promise<RunningServer> => {
  const running = await starting
  whenDone(running.close)
  return running
}

describe('the function start', () => {
  it('accepts a whole configuration, a part of one, and none at all', async () => {
    for (const starting of [() => start({}, { env }), () => start(undefined, { env })]) {
      const running = await own(starting())
      expect(running.developmentKey).toBe(env.MILLRACE_DEV_KEY)
      const answer = await post(running.url, { model: 'replay/refusal', input: 'Hello!', stream: true }, { headers })
      expect(typesOf(await answer.text()).at(-3)).toBe('response.completed')
      await running.close()
    }
    const partly = await own(start({ listen: { port: 0 }, mounts: [{ path: '/x', dialect: 'openai' }] }, { env }))
    expect((await fetch(`${partly.url}/x/models`, { headers })).status).toBe(200)
  })

  it('warns of a secret of the process only where a client can outlive it', async () => {
    for (const [variables, keys, events] of [
      [{}, undefined, []],
      [{ MILLRACE_DEV_KEY: env.MILLRACE_DEV_KEY }, undefined, ['encrypted_content_secret_missing']],
      [{}, [{ name: 'a', sha256: sha256('a') }], ['encrypted_content_secret_missing']],
    ] as const) {
      const seen: unknown[] = []
      const config = { listen: { port: 0 }, ...(keys === undefined ? {} : { keys: [...keys] }) }
      await own(start(config, { env: variables, log: ({ event }) => void seen.push(event) }))
      expect(seen.filter((event) => event !== 'listening')).toEqual(events)
    }
  })

  it('accepts the configuration that loadConfig returns', async () => {
    const whole = {
      listen: { port: 0 },
      keys: [{ name: 'a', sha256: sha256('a'), rate_limit: { requests: 5 } }],
      vendors: { groq: { key: 'gsk' } },
      destinations: ONE_OF_EACH.map((entry, at) => ({ ...entry, regions: at === 0 ? ['eu'] : ['global'] })),
    }
    const read = CONFIG.parse(whole)
    expect(CONFIG.parse(read)).toEqual(read)
    expect((await own(start(read))).vendors).toContain('groq')
  })

  it.each<[string, unknown, RegExp]>([
    ['a wrong value', { listen: { port: 'high' } }, /^The configuration is not valid:\n {2}listen\.port: /],
    ['an unknown field', { lisen: {} }, /^The configuration is not valid:\n {2}configuration: .*lisen/],
    ['null', null, /^The configuration is not valid:\n {2}configuration: /],
    ['a text', 'config.json', /^The configuration is not valid:\n {2}configuration: /],
  ])('rejects %s with the path of the mistake', async (_, value, message) => {
    await expect(start(value as object)).rejects.toThrow(message)
  })

  it('rejects a reload of an invalid configuration, and keeps running', async () => {
    const running = await own(start({ listen: { port: 0 } }))
    await expect(running.reload({ keys: [{ name: 'a' }] } as object)).rejects.toThrow(/keys\[0\]\.sha256/)
    await running.reload({})
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200)
  })

  it.each([
    [
      'vendors.gorq',
      { vendors: { gorq: {} } },
      'vendors.gorq.wire: expected a wire, because the vendor is not known. Did you mean "groq"?',
    ],
    ['a borrowed row', { vendors: { x: { vendor: 'anthropc' } } }, 'Did you mean "anthropic"?'],
    ['a wire', { vendors: { x: { wire: 'openai-chats', base_url: 'http://x' } } }, 'Did you mean "openai-chat"?'],
    ['a dialect', { mounts: [{ path: '/x', dialect: 'opnai' }] }, 'Did you mean "openai"?'],
  ])('suggests the closest name for %s', async (_, config, message) => {
    await expect(start(config as object)).rejects.toThrow(message)
  })
})

it('an unknown vendor in a request is answered with the closest name', async () => {
  const vendor = { wire: 'openai-chat', base_url: 'http://127.0.0.1:1' } as const
  const running = await own(start({ vendors: { acme: vendor, other: vendor } }, { env }))
  const messageFor = async (model: string): Promise<string> =>
    JSON.parse(await (await post(running.url, { model, input: 'x' }, { headers })).text()).error.message
  expect(await messageFor('acmee/x')).toContain('Did you mean "acme"?')
  expect(await messageFor(`${'a'.repeat(100_000)}/x`)).not.toContain('Did you mean')
})
