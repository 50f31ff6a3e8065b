import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesName, namesByRules, routesFor } from '../../../src/gateway/config/model-rules.ts'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import type { Env } from '../../../src/gateway/config/secrets.ts'
import { createVendorRegistry } from '../../../src/gateway/vendors/vendor-registry.ts'
import { createRecordings } from '../../../src/host/config/recordings-account.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { check } from '../../property.ts'

const KEYS: Env = {
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  AWS_BEARER_TOKEN_BEDROCK: 'b',
  AWS_REGION: 'eu-west-1',
}
const LOCAL = { wire: 'openai-chat', base_url: 'http://127.0.0.1:1/v1' }
const CLAUDE = { match: 'claude-*', to: ['anthropic/*', 'bedrock/anthropic.*'] }

const problemsOf = (config: object): readonly string[] => {
  const loaded = checkConfigValue(config)
  return loaded.ok ? [] : loaded.problems
}

const openRegistry = (config: object, env: Env = KEYS) => {
  const loaded = checkConfigValue(config)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return createVendorRegistry(loaded.config, env, () => Promise.reject(new Error('nothing is sent')), {
    hashes: NODE_HASHES,
    recordings: createRecordings(),
  })
}

/** The accounts that serve a model, as `<vendor>/<model>`; else the message of the error. */
async function routesOf(config: object, name: string, env: Env = KEYS, client?: WireName): Promise<readonly string[]> {
  const found = await openRegistry(config, env).findAll(name, client)
  return found.ok ? found.value.map(({ account, model }) => `${account.name}/${model}`) : [found.error.message]
}

describe('a pattern of a rule', () => {
  it('matches the same names as a regular expression with .* in place of each *', () => {
    const word = fc.array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 6 }).map((letters) => letters.join(''))
    const pieces = fc.array(word, { minLength: 1, maxLength: 4 })
    check(
      fc.property(pieces, fc.array(word, { maxLength: 4 }), word, (pattern, between, other) => {
        const expression = new RegExp(`^${pattern.map((piece) => piece.replaceAll('.', '\\.')).join('[^]*')}$`)
        const filled = pattern.map((piece, at) => piece + (at < pattern.length - 1 ? (between[at] ?? '') : '')).join('')
        expect(matchesName(pattern.join('*'), filled)).toBe(true)
        for (const name of [other, filled + other, between.join('')])
          expect(matchesName(pattern.join('*'), name)).toBe(expression.test(name))
      }),
      2000,
    )
  })

  it('never takes a letter of a name twice', () => {
    expect(matchesName('ab*ba', 'aba')).toBe(false)
    expect(matchesName('a*b*b', 'ab')).toBe(false)
    expect(matchesName('a*b*b', 'abb')).toBe(true)
  })

  it('with many * decides about a long name at once', () => {
    expect(matchesName(`${'a*'.repeat(200)}b`, 'a'.repeat(100_000))).toBe(false)
  })
})

describe('the routes of a rule', () => {
  it.each([
    ['claude-*', 'anthropic/*', 'claude-x', 'anthropic/claude-x'],
    ['claude-*', 'bedrock/anthropic.*', 'claude-$&', 'bedrock/anthropic.claude-$&'],
    ['openai/*', 'azure/*', 'openai/gpt-5', 'azure/gpt-5'],
    ['openrouter/meta/*-free', 'groq/meta-*', 'openrouter/meta/x/y-free', 'groq/meta-x/y-free'],
    ['*', 'openrouter/*', 'meta/x', 'openrouter/meta/x'],
    ['*/x', 'openrouter/*', 'meta/x', 'openrouter/meta/x'],
    ['openai/fast', 'groq/*', 'openai/fast', 'groq/fast'],
    ['fast', 'groq/llama', 'fast', 'groq/llama'],
  ])('of %s to %s for %s is %s', (match, to, name, route) => {
    expect(routesFor([{ match, to: [to] }], name)).toEqual([route])
  })
})

describe('a rule of the configuration', () => {
  it.each([
    [
      { match: 'x', to: ['anthropic/x', 'anthropc/x'] },
      'models[0].to[1]: expected a vendor’s name on this server. Did you mean "anthropic"?',
    ],
    [{ match: 'x', to: ['anthropic'] }, 'models[0].to[0]: expected <vendor>/<model>'],
    [{ match: 'x', to: ['anthropic/'] }, 'models[0].to[0]: expected <vendor>/<model>'],
    [{ match: 'x', to: ['*/x'] }, 'models[0].to[0]: expected a vendor’s name on this server.'],
    [{ match: '', to: ['anthropic/x'] }, 'models[0].match: expected a string that is not empty, got an empty string'],
    [{ match: 'x', to: [] }, 'models[0].to: expected a list that is not empty, got an empty list'],
  ])('%j is refused: %s', (rule, problem) => {
    expect(problemsOf({ models: [rule] })).toEqual([problem])
  })

  it('is refused if an earlier one has the same pattern, and so is a default vendor that does not exist', () => {
    expect(problemsOf({ models: [CLAUDE, { match: 'b', to: ['openai/b'] }, CLAUDE], default_vendor: 'opnai' })).toEqual(
      [
        'models[2].match: expected a unique value, got the value of models[0].match',
        expect.stringMatching(/^default_vendor: expected a vendor’s name on this server\. Did you mean "openai"/),
      ],
    )
  })

  it('stops the start if its vendor has no key', () => {
    const env = { ANTHROPIC_API_KEY: 'a' }
    expect(() => openRegistry({ models: [CLAUDE] }, env)).toThrow(/^models\[0\]\.to\[1\]: The vendor "bedrock" has no/)
    expect(() => openRegistry({ default_vendor: 'openai' }, env)).toThrow(/^default_vendor: .* OPENAI_API_KEY/)
  })
})

describe('the accounts of a request', () => {
  it('are the routes of the first rule that matches, in their order', async () => {
    const models = [{ match: 'claude-old', to: ['openai/gpt'] }, CLAUDE, { match: 'anthropic/*', to: ['openai/*'] }]
    expect(await routesOf({ models }, 'claude-x')).toEqual(['anthropic/claude-x', 'bedrock/anthropic.claude-x'])
    expect(await routesOf({ models }, 'claude-old')).toEqual(['openai/gpt'])
    // The route of a rule is no name that a rule matches again.
    expect(await routesOf({ models }, 'anthropic/claude-x')).toEqual(['openai/claude-x'])
    expect(await routesOf({ models }, 'openai/gpt')).toEqual(['openai/gpt'])
    expect(
      await routesOf({ recordings: true, models: [{ match: 'say', to: ['replay/hello', 'replay/none'] }] }, 'say'),
    ).toEqual(['replay/hello'])
  })

  it('leave out an upstream that cannot have such a model, as long as there is another one', async () => {
    expect(await routesOf({ models: [CLAUDE] }, 'claude-x y')).toEqual(['anthropic/claude-x y'])
    const onlyBedrock = { models: [{ match: 'claude-*', to: ['bedrock/*'] }] }
    expect(await routesOf(onlyBedrock, 'claude-x y')).toEqual([expect.stringMatching(/^model: expected a name of/)])
  })

  it('are on the wire of the client where a vendor has several', async () => {
    const models = [{ match: 'fast', to: ['anthropic/a', 'deepseek/b'] }]
    const registry = openRegistry({ models }, { ...KEYS, DEEPSEEK_API_KEY: 'd' })
    const wiresFor = async (client?: WireName) => {
      const found = await registry.findAll('fast', client)
      return found.ok ? found.value.map(({ account }) => account.wire.name) : []
    }
    expect(await wiresFor('openai-chat')).toEqual(['anthropic-messages', 'openai-chat'])
    expect(await wiresFor('anthropic-messages')).toEqual(['anthropic-messages', 'anthropic-messages'])
  })
})

describe('the default vendor', () => {
  const bare = (config: object, env: Env, name = 'some-model') => routesOf(config, name, env)
  const NONE = expect.stringContaining('expected <vendor>/<model>')

  it.each([
    ['a key of the table', {}, { ANTHROPIC_API_KEY: 'a' }, 'anthropic/some-model'],
    ['a key that two rows of the table share', {}, { OPENAI_API_KEY: 'o' }, 'openai/some-model'],
    ['a vendor of the configuration', { vendors: { acme: LOCAL } }, {}, 'acme/some-model'],
    ['a configured row of the table', { vendors: { openai: {} } }, { OPENAI_API_KEY: 'o' }, 'openai/some-model'],
    ['one of several that the configuration selects', { default_vendor: 'bedrock' }, KEYS, 'bedrock/some-model'],
  ])('is %s', async (_, config, env: Env, route) => {
    expect(await bare(config, env)).toEqual([route])
  })

  it('is none if there are several, or only recordings', async () => {
    expect(await bare({}, KEYS)).toEqual([NONE])
    expect(await bare({}, {})).toEqual([NONE])
    expect(await bare({ vendors: { acme: LOCAL } }, { OPENAI_API_KEY: 'o' })).toEqual([NONE])
    expect(await bare({ vendors: { acme: LOCAL, other: LOCAL } }, {})).toEqual([NONE])
  })

  it('serves names that begin with no vendor, and never those of another vendor', async () => {
    const acme = { vendors: { acme: LOCAL } }
    expect(await bare(acme, {}, 'meta/x')).toEqual(['acme/meta/x'])
    expect(await bare(acme, {}, 'constructor/x')).toEqual(['acme/constructor/x'])
    expect(await bare(acme, {}, 'acme/x')).toEqual(['acme/x'])
    expect(await bare(acme, {}, 'replay/hello')).toEqual(['replay/hello'])
    expect(await bare(acme, {}, 'openai/gpt')).toEqual([expect.stringContaining('OPENAI_API_KEY')])
    for (const name of ['', '/x', 'acme/']) expect(await bare(acme, {}, name)).toEqual([NONE])
  })
})

it('lists the names of many rules with one comparison of each name and rule at most', () => {
  let comparisons = 0
  const rules = Array.from({ length: 40 }, (_, at) => ({
    get match() {
      comparisons += 1
      return `m${at}*`
    },
    to: ['acme/*'],
  }))
  const names = Array.from({ length: 50 }, (_, at) => `m${at + 30}`)
  const listed = namesByRules(rules, new Map([['acme', names]]))
  expect(listed.slice(0, 10)).toEqual(names.slice(0, 10))
  expect(listed).toHaveLength(names.length)
  expect(comparisons).toBeLessThanOrEqual(rules.length * (names.length + 1))
})
