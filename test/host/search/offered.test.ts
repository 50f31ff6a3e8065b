import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { json, KEY, type Loose, post, startGateway, type TestServer, whenDone } from '../test-server.ts'
import { answerJson, type MockEngine, startMockEngine } from './mock-engine.ts'

/** Which search a request gets: the upstream's own, an engine's, or none, which is recorded as a loss. */

const FUNCTION = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }
const REFUSAL = withBody('{"error":{"message":"No."}}', 400)

interface Searching extends TestServer {
  readonly engine: MockEngine | null
}

/** Opens a gateway whose upstream refuses every request, because only the upstream's request is checked. */
async function openSearching(wire: string, quirks: Quirks, hasEngine: boolean): Promise<Searching> {
  const upstream = await startMockUpstream(REFUSAL)
  whenDone(upstream.close)
  const engine = hasEngine ? await startMockEngine((response) => answerJson(response, { results: [] })) : null
  const search = engine === null ? {} : { search: { engine: 'exa', base_url: engine.url } }
  const acme = { wire, base_url: upstream.url, quirks }
  const server = await startGateway({ vendors: { acme }, retry: { attempts: 1 }, ...search })
  return { ...server, upstream, engine }
}

interface Refusal {
  /** null if the upstream received no request. */
  readonly body: Loose
  readonly losses: readonly string[]
  readonly message: string
}

async function ask({ url, upstream }: Searching, fields: object): Promise<Refusal> {
  const client = new OpenAI({ baseURL: `${url}/api/v1`, apiKey: KEY, maxRetries: 0 })
  const body = { model: 'acme/m', input: 'Hi', ...fields }
  const refusal = await client.post('/responses', { body }).catch((error: unknown) => error)
  if (!(refusal instanceof OpenAI.APIError)) throw new Error('the upstream refuses every request')
  const losses = (refusal.headers?.get('x-responses-losses') ?? '').split(', ').filter((loss: string) => loss !== '')
  return { body: upstream.received.at(-1)?.body ?? null, losses, message: (refusal.error as Loose).message }
}

// ---------------------------------------------------------------- Gemini

const WAYS: readonly (readonly [name: string, place: string, fields: (model: string) => object])[] = [
  ['a tool', 'tools[1]', (model) => ({ model, tools: [FUNCTION, { type: 'web_search' }] })],
  ['a plugin', 'plugins[0]', (model) => ({ model, tools: [FUNCTION], plugins: [{ id: 'web' }] })],
  [':online', 'model', (model) => ({ model: `${model}:online`, tools: [FUNCTION] })],
]
const NATIVE: readonly (readonly [name: string, place: string, fields: object])[] = [
  ['a tool', 'tools[1]', { tools: [FUNCTION, { type: 'service:web_search', parameters: { engine: 'native' } }] }],
  ['a plugin', 'plugins[0]', { tools: [FUNCTION], plugins: [{ id: 'web', engine: 'native' }] }],
]
const EARLIER = ['gemini-2.5-flash', 'gemini-2.5-pro', 'models/gemini-2.0-flash']
const TODAY = ['gemini-3-flash-preview', 'gemini-flash-latest', 'gemini-pro-latest', 'tunedModels/mine', 'an-alias']

const declaredIn = ({ tools }: Loose): string[] =>
  (tools ?? []).flatMap(({ functionDeclarations = [] }: Loose) => functionDeclarations.map(({ name }: Loose) => name))
const searchesIn = ({ tools }: Loose): boolean => (tools ?? []).some((tool: Loose) => 'googleSearch' in tool)

describe('a web search beside functions with Gemini', () => {
  describe.each(WAYS)('requested by %s', (_, place, fields) => {
    it.each(EARLIER)('uses an engine if the model cannot combine them: %s', async (model) => {
      const server = await openSearching('gemini-generate', {}, true)
      const { body, losses } = await ask(server, fields(`acme/${model}`))
      expect(declaredIn(body)).toEqual(place === 'tools[1]' ? ['f', 'web_search'] : ['f'])
      expect([searchesIn(body), losses]).toEqual([false, []])
      expect(server.engine?.asked).toHaveLength(place === 'tools[1]' ? 0 : 1)
    })

    it.each(EARLIER)('is dropped if the model cannot combine them and there is no engine: %s', async (model) => {
      const server = await openSearching('gemini-generate', {}, false)
      const { body, losses } = await ask(server, fields(`acme/${model}`))
      expect([declaredIn(body), searchesIn(body), losses]).toEqual([['f'], false, [`${place} dropped`]])
    })

    it.each(TODAY)('uses the search of Gemini if the model can combine them: %s', async (model) => {
      const server = await openSearching('gemini-generate', {}, true)
      const { body, losses } = await ask(server, fields(`acme/${model}`))
      expect([declaredIn(body), searchesIn(body), losses]).toEqual([['f'], true, []])
      expect(server.engine?.asked).toHaveLength(0)
    })
  })

  it.each(NATIVE)('with engine native is rejected for earlier models, as %s', async (_, place, fields) => {
    const server = await openSearching('gemini-generate', {}, true)
    const { body, message } = await ask(server, { model: 'acme/gemini-2.5-pro', ...fields })
    expect([body, message]).toEqual([
      null,
      `${place}: this model does not support its own web search together with functions`,
    ])
    const today = await ask(server, { model: 'acme/gemini-pro-latest', ...fields })
    expect(searchesIn(today.body)).toBe(true)
  })

  it('uses the search of Gemini for every model if there are no functions', async () => {
    const server = await openSearching('gemini-generate', {}, true)
    const { body } = await ask(server, { model: 'acme/gemini-2.5-flash', tools: [{ type: 'web_search' }] })
    expect(searchesIn(body)).toBe(true)
  })

  it('follows likeModels in the vendor’s row for a model with another name', async () => {
    const server = await openSearching('gemini-generate', { likeModels: { mine: 'gemini-2.5-flash' } }, false)
    const tools = [FUNCTION, { type: 'web_search' }]
    expect((await ask(server, { model: 'acme/mine', tools })).losses).toEqual(['tools[1] dropped'])
    expect((await ask(server, { model: 'acme/other', tools })).losses).toEqual([])
  })
})

// ---------------------------------------------------------------- Codex

/** The request of Codex at its default (`false`) and in its full-access mode (`true`). */
const codex = (external_web_access: boolean) => ({
  instructions: 'You are a coding agent.',
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandbox: read-only.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Mend the test.' }] },
  ],
  tools: [
    { ...FUNCTION, name: 'exec_command', strict: false },
    { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: { type: 'text' } },
    { type: 'namespace', name: 'mcp__docs', description: 'Docs', tools: [{ ...FUNCTION, name: 'read' }] },
    { type: 'web_search', external_web_access, search_context_size: 'medium' },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'k',
})

const LIVE = 'web_search'
/**
 * For each wire, a model, and the tool that requests a live search from the upstream; null if the upstream has none.
 */
const SEARCHERS: Readonly<Record<string, { readonly model: string; readonly live: string | null }>> = {
  'openai-responses': { model: 'gpt-5.1', live: LIVE },
  'openai-chat': { model: 'm', live: null },
  'anthropic-messages': { model: 'claude-sonnet-4-5', live: 'web_search_20250305' },
  'gemini-generate': { model: 'gemini-flash-latest', live: 'googleSearch' },
  'bedrock-converse': { model: 'anthropic.claude-sonnet-4-5-20250929-v1:0', live: null },
  'cohere-chat': { model: 'command-a-03-2025', live: null },
  'ollama-chat': { model: 'qwen3', live: null },
}

/** Only the tools, because the client's text could contain the same names. */
const toolsOf = (body: Loose): string => JSON.stringify(body.tools ?? body.toolConfig ?? [])

describe.each(Object.entries(SEARCHERS))('Codex with an upstream of %s', (wire, { model, live }) => {
  const { quirks } = Object.values(WIRE_UPSTREAMS).find((upstream) => upstream.wire === wire) ?? { quirks: {} }

  it.each([true, false])('never searches live if external_web_access is false, engine %s', async (hasEngine) => {
    const server = await openSearching(wire, quirks, hasEngine)
    const { body, losses } = await ask(server, { ...codex(false), model: `acme/${model}` })
    const tools = toolsOf(body)
    expect(tools).toContain('exec_command')
    expect(server.engine?.asked ?? []).toEqual([])
    if (wire === 'openai-responses') {
      expect(body.tools).toContainEqual({
        type: 'web_search',
        external_web_access: false,
        search_context_size: 'medium',
      })
      expect(losses).not.toContain('tools[3] dropped')
    } else {
      expect(losses).toContain('tools[3] dropped')
      expect(tools).not.toMatch(/web_search|googleSearch|nova_grounding/)
    }
  })

  it('works without an engine if external_web_access is true', async () => {
    const server = await openSearching(wire, quirks, false)
    const { body, losses } = await ask(server, { ...codex(true), model: `acme/${model}` })
    const tools = toolsOf(body)
    expect(tools).toContain('exec_command')
    if (live === null) {
      expect(losses).toContain('tools[3] dropped')
      expect(tools).not.toContain('web_search')
    } else {
      expect(tools).toContain(live)
      expect(losses.filter((loss) => loss.startsWith('tools[3]') && !loss.includes('search_context_size'))).toEqual([])
    }
  })

  it('uses an engine if external_web_access is true and the upstream has no search', async () => {
    const server = await openSearching(wire, quirks, true)
    const { body, losses } = await ask(server, { ...codex(true), model: `acme/${model}` })
    expect(toolsOf(body)).toContain(live ?? LIVE)
    expect(losses).not.toContain('tools[3] dropped')
  })

  it('is refused if it demands an offline search that the upstream lacks', async () => {
    const server = await openSearching(wire, quirks, false)
    const demanded = { ...codex(false), tool_choice: { type: 'web_search' }, model: `acme/${model}` }
    const { body, message } = await ask(server, demanded)
    if (wire === 'openai-responses') expect(body.tool_choice).toEqual({ type: 'web_search' })
    else expect([body, message]).toEqual([null, expect.stringMatching(/^(?:tools\[3\]|tool_choice): /)])
  })
})

const OFFLINE = { type: 'web_search', external_web_access: false }

describe('the field external_web_access', () => {
  it.each<[string, string, Quirks]>([
    ['azure', 'openai-responses', { webSearch: 'preview', nativeSearch: 'plain' }],
    ['xAI', 'openai-responses', { webSearch: 'xai', nativeSearch: 'either' }],
    ['OpenRouter', 'openai-responses', { webSearch: 'openrouter', nativeSearch: 'both' }],
    ['OpenRouter’s chat', 'openai-chat', { nativeSearch: 'both' }],
  ])('set to false drops the tool for %s, whose search is live', async (_, wire, quirks) => {
    const server = await openSearching(wire, quirks, true)
    for (const tool of [OFFLINE, { type: 'service:web_search', parameters: { external_web_access: false } }]) {
      const { body, losses } = await ask(server, { tools: [FUNCTION, tool] })
      expect([body.tools.length, losses]).toEqual([1, ['tools[1] dropped']])
    }
    const live = await ask(server, { tools: [FUNCTION, { type: 'web_search', external_web_access: true }] })
    expect(JSON.stringify(live.body.tools[1])).toMatch(/^\{"type":"(?:openrouter:)?web_search/)
    expect(JSON.stringify(live.body.tools[1])).not.toContain('external_web_access')
    expect(live.losses).toEqual([])
  })

  it('set to false is sent to OpenAI under any name of the tool', async () => {
    const server = await openSearching('openai-responses', {}, true)
    for (const type of ['web_search', 'web_search_preview', 'service:web_search', 'web_search_20250305']) {
      const { body } = await ask(server, { tools: [{ type, external_web_access: false }] })
      expect(body.tools).toEqual([OFFLINE])
    }
  })

  it('set to false has priority over a named engine, the plugin and :online', async () => {
    const server = await openSearching('openai-chat', {}, true)
    const asked = [
      { tools: [{ ...OFFLINE, engine: 'exa' }] },
      { tools: [OFFLINE], plugins: [{ id: 'web' }] },
      { tools: [OFFLINE], model: 'acme/m:online' },
    ]
    for (const fields of asked) {
      const { body, losses } = await ask(server, fields)
      expect([body.tools, losses[0]?.length]).toEqual([undefined, expect.any(Number)])
      expect(losses).toContain('tools[0] dropped')
    }
    expect(server.engine?.asked).toEqual([])
  })

  it('is rejected if it is not a boolean', async () => {
    const server = await openSearching('openai-responses', {}, false)
    const { body, message } = await ask(server, { tools: [{ type: 'web_search', external_web_access: 'false' }] })
    expect([body, message]).toEqual([null, 'tools[0].external_web_access: expected true or false, got "false"'])
  })
})

// ---------------------------------------------------------------- searches that are offered or demanded

describe('a search that is unavailable', () => {
  it('is dropped as one of several tools, and rejected as the only tool that must be called', async () => {
    const server = await openSearching('openai-chat', {}, false)
    const both = await ask(server, { tools: [FUNCTION, { type: 'web_search' }], tool_choice: 'required' })
    expect([both.body.tools.length, both.body.tool_choice, both.losses]).toEqual([1, 'required', ['tools[1] dropped']])
    const alone = await ask(server, { tools: [{ type: 'web_search' }], tool_choice: 'required' })
    expect(alone.message).toMatch(/^tools\[0\]: this upstream has no web search of its own/)
  })

  it('is rejected as the only tool of a request, with the setting of an engine', async () => {
    const server = await openSearching('openai-chat', {}, false)
    const { body, message } = await ask(server, { tools: [{ type: 'web_search' }] })
    expect([body, message]).toEqual([null, expect.stringMatching(/^tools\[0\]: .*: set "search" in the configuration/)])
  })

  it('is rejected as the search of Claude Code, which shows any answer as found pages', async () => {
    const server = await openSearching('openai-chat', {}, false)
    const body = {
      model: 'acme/m',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Perform a web search for the query: mills' }],
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
    }
    const answer = await post(server.url, body, { path: '/openai/v1/messages' })
    expect([answer.status, (await json(answer)).error.message]).toEqual([
      400,
      expect.stringMatching(/^tools\[0\]: this upstream has no web search of its own, and no search engine is conf/),
    ])
    expect(server.upstream.received).toEqual([])
  })

  it('is dropped as the only tool of a request that calls no tool, or that compacts a conversation', async () => {
    const server = await openSearching('openai-chat', {}, false)
    const tools = [{ type: 'web_search' }]
    expect((await ask(server, { tools, tool_choice: 'none' })).body.messages).toHaveLength(1)
    const input = [{ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }]
    const compacted = await post(server.url, { model: 'acme/m', tools, input }, { path: '/openai/v1/responses' })
    expect(compacted.headers.get('x-responses-losses')).toContain('tools[0] dropped')
  })

  it('is rejected if a plugin or :online demands it', async () => {
    const server = await openSearching('openai-chat', {}, false)
    expect((await ask(server, { plugins: [{ id: 'web' }] })).message).toMatch(/^plugins\[0\]: this upstream has no/)
    expect((await ask(server, { model: 'acme/m:online' })).message).toMatch(/^model: this upstream has no/)
  })

  it('is dropped if the upstream cannot express its domains', async () => {
    const server = await openSearching('anthropic-messages', {}, false)
    const search = { type: 'web_search', filters: { allowed_domains: ['*.a.example'] } }
    expect((await ask(server, { tools: [search, FUNCTION] })).losses).toEqual(['tools[0] dropped'])
    expect((await ask(server, { tools: [search] })).message).toMatch(/does not support these domains, and no search/)
  })
})

// ---------------------------------------------------------------- plugins

describe('a plugin', () => {
  it.each([
    [{}, 'nothing'],
    [{ id: null }, 'null'],
    [{ id: 7 }, '7'],
    [{ id: 'file-parser' }, '"file-parser"'],
    [{ id: 'Web' }, '"Web"'],
  ])('with a wrong id is rejected at that id: %j', async (plugin, got) => {
    for (const path of ['/api/v1/responses', '/openai/v1/responses']) {
      const server = await openSearching('openai-responses', {}, false)
      const asked = { model: 'acme/m', input: 'Hi', plugins: [{ id: 'web' }, plugin] }
      const answer = await post(server.url, asked, { path })
      expect([answer.status, (await json(answer)).error]).toMatchObject([
        400,
        { message: `plugins[1].id: expected "web", got ${got}` },
      ])
      expect(server.upstream.received).toEqual([])
    }
  })

  it.each([
    ['gemini-generate', ['plugins[0].max_results']],
    ['anthropic-messages', ['plugins[0].max_results']],
    ['openai-responses', ['plugins[0].max_results']],
  ])('has its own field named in a loss if the search of %s lacks it', async (wire, places) => {
    const server = await openSearching(wire, {}, false)
    const { losses } = await ask(server, { plugins: [{ id: 'web', max_results: 3 }] })
    expect(losses).toEqual(places.map((place) => `${place} dropped`))
  })

  it('has its own name for domains in a loss', async () => {
    const server = await openSearching('openai-responses', { nativeSearch: 'either' }, false)
    const { losses } = await ask(server, { plugins: [{ id: 'web', exclude_domains: ['a.example'] }] })
    expect(losses).toEqual(['plugins[0].exclude_domains dropped'])
  })

  it('of a chat request filters by its own field for domains', async () => {
    const server = await openSearching('anthropic-messages', {}, false)
    const asked = {
      messages: [{ role: 'user', content: 'Hi' }],
      plugins: [{ id: 'web', include_domains: ['a.example'] }],
    }
    await post(server.url, { model: 'acme/m', ...asked }, { path: '/api/v1/chat/completions' })
    expect(server.upstream.received[0]?.body.tools).toMatchObject([{ allowed_domains: ['a.example'] }])
  })
})

// ---------------------------------------------------------------- an upstream that always searches

describe('a request to Perplexity', () => {
  const PERPLEXITY: Quirks = {
    refuses: ['tools', 'parallel_tool_calls'],
    alwaysSearches: true,
    nativeSearch: 'either',
  }

  it.each([
    [{ tools: [FUNCTION] }, 'tools[0]'],
    [{ tools: [{ type: 'web_search' }, { type: 'custom', name: 'c' }] }, 'tools[1]'],
  ])('is rejected if it offers functions, which are never called: %j', async (fields, place) => {
    const server = await openSearching('openai-chat', PERPLEXITY, true)
    const { body, message } = await ask(server, fields)
    expect([body, message]).toEqual([
      null,
      `${place}: this upstream does not support functions; choose another model, or leave them out`,
    ])
  })

  it('is sent without its functions if none may be called', async () => {
    const server = await openSearching('openai-chat', PERPLEXITY, false)
    const { body, losses } = await ask(server, { tools: [FUNCTION], tool_choice: 'none' })
    expect([body.tools, losses]).toEqual([undefined, ['tools[0] dropped']])
  })

  it.each([
    [{ tools: [{ type: 'web_search' }] }, {}],
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, {}],
    [{ tools: [{ type: 'web_search', external_web_access: true }], tool_choice: { type: 'web_search' } }, {}],
    [{ plugins: [{ id: 'web', include_domains: ['a.example'] }] }, { search_domain_filter: ['a.example'] }],
    [
      { tools: [{ type: 'web_search', filters: { blocked_domains: ['a.example'] }, search_context_size: 'low' }] },
      { search_domain_filter: ['-a.example'], web_search_options: { search_context_size: 'low' } },
    ],
    [
      { tools: [{ type: 'web_search', user_location: { type: 'approximate', country: 'CH', city: 'Bern' } }] },
      { web_search_options: { user_location: { country: 'CH', city: 'Bern' } } },
    ],
    [{ tools: [{ type: 'web_search', external_web_access: false }] }, { disable_search: true }],
  ])('is sent with fields instead of the search in %j', async (fields, expected) => {
    const server = await openSearching('openai-chat', PERPLEXITY, true)
    const { body, losses } = await ask(server, fields)
    const { model: _, messages: __, ...rest } = body
    expect(rest).toEqual(expected)
    expect(losses).toEqual('disable_search' in expected ? ['tools[0] dropped'] : [])
    expect(server.engine?.asked).toEqual([])
  })

  it('is rejected if it demands a search that must stay offline', async () => {
    const server = await openSearching('openai-chat', PERPLEXITY, true)
    const tools = [{ type: 'web_search', external_web_access: false }]
    for (const tool_choice of ['required', { type: 'web_search' }]) {
      expect((await ask(server, { tools, tool_choice })).message).toMatch(/^tool_choice: /)
    }
  })

  it('has those search options reported as losses that Perplexity lacks', async () => {
    const server = await openSearching('openai-chat', PERPLEXITY, false)
    const asked = await ask(server, { tools: [{ type: 'service:web_search', parameters: { max_results: 3 } }] })
    expect(asked.losses).toEqual(['tools[0].parameters.max_results dropped'])
  })

  it('is rejected if its domain filter cannot be expressed', async () => {
    const server = await openSearching('openai-chat', PERPLEXITY, true)
    const tools = [{ type: 'web_search', filters: { allowed_domains: ['*.a.example'] } }]
    const { body, message } = await ask(server, { tools })
    expect([body, message]).toEqual([null, 'tools[0]: the web search of this upstream does not support these domains'])
  })
})
