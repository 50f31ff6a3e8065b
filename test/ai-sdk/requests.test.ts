import { describe, expect, it } from 'vitest'
import type { GivenFilePart, ModelCallOptions, ModelTool } from '../../src/ai-sdk/contract.ts'
import { createMillrace } from '../../src/ai-sdk.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { UPSTREAMS, WIRE_NAMES } from './sdks.ts'
import { HI, sentBy, upstreamOf } from './sent-request.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const EPHEMERAL = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } } }

const urlsOf = (wire: WireName, own: object = {}) => {
  const { vendor, model } = UPSTREAMS[wire]
  return createMillrace({ vendor, wire, baseUrl: 'https://vendor.example', apiKey: 'k', ...own })(model).supportedUrls
}

const takes = (urls: Record<string, RegExp[]>, kind: string, url: string): boolean =>
  (urls[kind] ?? []).some((pattern) => pattern.test(url))

describe('the URLs that a model accepts', () => {
  it.each([
    ['openai-responses', true, true],
    ['anthropic-messages', true, true],
    ['gemini-generate', true, true],
    ['gemini-interactions', true, true],
    ['openai-chat', true, true],
    ['bedrock-converse', false, false],
    ['cohere-chat', true, false],
    ['ollama-chat', false, false],
  ] as const)('are those that %s carries', (wire, pictures, documents) => {
    const urls = urlsOf(wire)
    expect([
      takes(urls, 'image/*', 'https://a.example/b.png'),
      takes(urls, 'application/pdf', 'https://a.example/b.pdf'),
    ]).toEqual([pictures, documents])
  })

  it('have the schemes of the vendor', () => {
    const bedrock = urlsOf('bedrock-converse')
    expect([
      takes(bedrock, 'image/*', 's3://bucket/a.png'),
      takes(bedrock, 'application/pdf', 's3://bucket/a.pdf'),
      takes(urlsOf('gemini-generate'), 'video/*', 'gs://bucket/a.mp4'),
      takes(urlsOf('anthropic-messages'), 'image/*', 'gs://bucket/a.png'),
      takes(urlsOf('anthropic-messages'), 'video/*', 'https://a.example/a.mp4'),
    ]).toEqual([true, true, true, false, false])
  })

  it('depend on the quirks of the vendor', () => {
    const documents = (files: 'file' | 'file-url' | 'document_url' | 'none') =>
      takes(urlsOf('openai-chat', { quirks: { files } }), 'application/pdf', 'https://a.example/a.pdf')
    expect(['file', 'file-url', 'document_url', 'none'].map((files) => documents(files as 'file'))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

const userWith = (...parts: readonly Omit<GivenFilePart, 'type'>[]): Partial<ModelCallOptions> => ({
  prompt: [{ role: 'user', content: parts.map((part) => ({ type: 'file', ...part })) }],
})

describe('a file without its bytes', () => {
  const reference = (id: string) =>
    ({ type: 'reference', reference: { google: id, anthropic: id, openai: id } }) as const

  it.each(['gemini-generate', 'gemini-interactions'] as const)('has its type in %s', async (wire) => {
    const { text, warnings } = await sentBy(
      upstreamOf(wire),
      userWith(
        { data: reference('files/one'), mediaType: 'application/pdf' },
        { data: reference('files/two'), mediaType: 'image/png', filename: 'chart' },
        { data: new URL('https://a.example/three'), mediaType: 'image/webp' },
        { data: { type: 'url', url: new URL('https://a.example/four') }, mediaType: 'video/mp4' },
      ),
    )
    for (const [address, type] of [
      ['files/one', 'application/pdf'],
      ['files/two', 'image/png'],
      ['https://a.example/three', 'image/webp'],
      ['https://a.example/four', 'video/mp4'],
    ])
      expect(text).toMatch(new RegExp(`\\{[^{}]*(?:${type}[^{}]*${address}|${address}"[^{}]*${type})[^{}]*\\}`))
    // Google has no names of files.
    const features = warnings.map((warning) => ('feature' in warning ? warning.feature : ''))
    expect(features).toEqual(['input[0].content[1].filename'])
  })

  it('has its type at Bedrock, from which its format follows', async () => {
    const files = [
      { data: new URL('s3://bucket/one'), mediaType: 'image/png' },
      { data: new URL('s3://bucket/two'), mediaType: 'application/pdf', filename: 'Two' },
    ]
    const { body, warnings } = await sentBy(upstreamOf('bedrock-converse'), {
      prompt: [
        { role: 'user', content: [...files.map((file) => ({ type: 'file' as const, ...file })), ...HI[0].content] },
      ],
    })
    expect(body.messages[0].content.slice(0, 2)).toMatchObject([
      { image: { format: 'png', source: { s3Location: { uri: 's3://bucket/one' } } } },
      { document: { format: 'pdf', source: { s3Location: { uri: 's3://bucket/two' } } } },
    ])
    expect(warnings).toEqual([])
  })

  it('keeps its name where the protocol has one, and has none where it would be refused', async () => {
    const file = { data: reference('file_1'), mediaType: 'application/pdf', filename: 'Plan.pdf' }
    const claude = await sentBy(upstreamOf('anthropic-messages'), userWith(file))
    expect(claude.body.messages[0].content[0]).toMatchObject({
      type: 'document',
      source: { type: 'file', file_id: 'file_1' },
      title: 'Plan.pdf',
    })
    const gpt = await sentBy(
      upstreamOf('openai-responses'),
      userWith(file, { ...file, data: new URL('https://a.example/plan') }),
    )
    expect(gpt.body.input[0].content).toEqual([
      { type: 'input_file', file_id: 'file_1' },
      { type: 'input_file', file_url: 'https://a.example/plan' },
    ])
    expect([...claude.warnings, ...gpt.warnings]).toEqual([])
  })

  it('is a warning if another provider stores it', async () => {
    const file = { data: { type: 'reference', reference: { openai: 'file_1' } }, mediaType: 'application/pdf' } as const
    const { warned } = await sentBy(upstreamOf('bedrock-converse'), {
      prompt: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'file', ...file },
          ],
        },
      ],
    })
    expect(warned).toContain('stored by another provider')
  })
})

describe('a breakpoint of the cache', () => {
  const prompt = [
    {
      role: 'user',
      content: [
        { type: 'file', data: PNG, mediaType: 'image/png', ...EPHEMERAL },
        { type: 'file', data: 'JVBERi0xLjQK', mediaType: 'application/pdf', filename: 'a.pdf', ...EPHEMERAL },
        { type: 'text', text: 'See' },
      ],
    },
  ] as const
  const tools = [
    { type: 'function', name: 'a', inputSchema: { type: 'object', properties: {} }, ...EPHEMERAL },
    { type: 'function', name: 'b', inputSchema: { type: 'object', properties: {} } },
  ] as const

  it.each(WIRE_NAMES)('on a picture, a document and a tool is carried by %s, or warned of', async (wire) => {
    const { text, warned } = await sentBy(upstreamOf(wire), { prompt, tools })
    const sent = text.match(/cache_control|cachePoint|prompt_cache_breakpoint/g)?.length ?? 0
    const lost = warned.match(/prompt_cache_breakpoint|cacheControl/g)?.length ?? 0
    expect(sent + lost).toBeGreaterThanOrEqual(3)
  })

  it('stands on the value itself', async () => {
    const { body } = await sentBy(upstreamOf('anthropic-messages'), { prompt, tools })
    const control = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    expect(body.messages[0].content).toMatchObject([
      { type: 'image', ...control },
      { type: 'document', ...control },
      {},
    ])
    expect(body.tools[0]).toMatchObject({ name: 'a', ...control })
    expect(body.tools[1]).not.toHaveProperty('cache_control')
  })

  it('is a warning on a part without a place for it', async () => {
    const { warned } = await sentBy(upstreamOf('anthropic-messages'), {
      prompt: [...HI, { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.', ...EPHEMERAL }] }, ...HI],
    })
    expect(warned).toContain('cacheControl')
  })

  it('may stand on a part of a result, and on its output', async () => {
    const result = (output: object) =>
      ({
        prompt: [
          ...HI,
          { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'a', input: {} }] },
          { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'a', output }] },
        ],
        tools,
      }) as Partial<ModelCallOptions>
    const output = { type: 'text', value: 'sun', ...EPHEMERAL }
    const content = { type: 'content', value: [{ type: 'text', text: 'sun', ...EPHEMERAL }] }
    for (const one of [output, content]) {
      const { body } = await sentBy(upstreamOf('anthropic-messages'), result(one))
      expect(JSON.stringify(body.messages[2])).toContain('"ttl":"1h"')
    }
  })
})

const own = (id: string, args: object = {}, name = 'mine'): ModelTool =>
  ({ type: 'provider', id, name, args }) as ModelTool

describe('a tool of a provider', () => {
  it.each([
    [
      'openai.file_search',
      { vectorStoreIds: ['vs_1'], maxNumResults: 3, ranking: { ranker: 'auto', scoreThreshold: 0.5 } },
      {
        type: 'file_search',
        vector_store_ids: ['vs_1'],
        max_num_results: 3,
        ranking_options: { ranker: 'auto', score_threshold: 0.5 },
      },
    ],
    ['openai.code_interpreter', {}, { type: 'code_interpreter', container: { type: 'auto' } }],
    ['openai.code_interpreter', { container: 'cntr_1' }, { type: 'code_interpreter', container: 'cntr_1' }],
    [
      'openai.code_interpreter',
      { container: { fileIds: ['file_1'] } },
      { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_1'] } },
    ],
    ['anthropic.code_execution_20250825', {}, { type: 'code_interpreter', container: { type: 'auto' } }],
    [
      'openai.web_search',
      { filters: { allowedDomains: ['a.example'] }, searchContextSize: 'low', externalWebAccess: false },
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'] },
        search_context_size: 'low',
        external_web_access: false,
      },
    ],
    ['google.google_search', {}, { type: 'web_search' }],
    [
      'openai.mcp',
      { serverLabel: 'd', serverUrl: 'https://m.example', headers: { 'X-camelCase': '1' } },
      {
        type: 'mcp',
        server_label: 'd',
        server_url: 'https://m.example',
        headers: { 'X-camelCase': '1' },
        require_approval: 'never',
      },
    ],
    [
      'openai.mcp',
      { serverLabel: 'd', serverUrl: 'https://m.example', requireApproval: 'always' },
      { type: 'mcp', server_label: 'd', server_url: 'https://m.example', require_approval: 'always' },
    ],
    [
      'openai.image_generation',
      { outputFormat: 'webp', inputImageMask: { fileId: 'f' } },
      { type: 'image_generation', output_format: 'webp', input_image_mask: { file_id: 'f' } },
    ],
  ] as const)('%s with %j has the fields of the wire', async (id, args, tool) => {
    const { body, warnings } = await sentBy(upstreamOf('openai-responses'), { tools: [own(id, args)] })
    expect(body.tools).toEqual([tool])
    expect(warnings).toEqual([])
  })

  it.each([
    ['anthropic.web_search_20250305', { maxUses: 2 }, 'max_uses'],
    ['google.google_search', { mode: 'MODE_DYNAMIC', dynamicThreshold: 0.3 }, 'dynamicThreshold'],
    ['google.google_search', { timeRangeFilter: { startTime: '2025-01-01T00:00:00Z' } }, 'timeRangeFilter'],
    ['xai.web_search', { enableImageUnderstanding: true }, 'enableImageUnderstanding'],
  ] as const)('%s with %j is a search, and a warning of what it lacks', async (id, args, feature) => {
    const { body, warned } = await sentBy(upstreamOf('openai-responses'), { tools: [own(id, args)] })
    expect(body.tools).toEqual([{ type: 'web_search' }])
    expect(warned).toContain(feature)
  })

  it.each([
    ['openai-responses', 'anthropic.web_search_20250305', { blockedDomains: ['b.example'] }],
    ['openai-responses', 'xai.web_search', { excludedDomains: ['b.example'] }],
    ['gemini-generate', 'anthropic.web_search_20250305', { allowedDomains: ['b.example'] }],
    ['cohere-chat', 'openai.web_search', {}],
    ['ollama-chat', 'google.google_search', {}],
    ['openai-responses', 'google.file_search', { fileSearchStoreNames: ['fileSearchStores/s'] }],
    ['openai-responses', 'google.url_context', {}],
    ['openai-responses', 'anthropic.bash_20250124', {}],
    ['anthropic-messages', 'openai.shell', {}],
    ['bedrock-converse', 'openai.mcp', { serverLabel: 'd', serverUrl: 'https://m.example' }],
  ] as const)('is a warning where %s cannot have %s with %j, also if it is forced', async (wire, id, args) => {
    for (const toolChoice of [undefined, { type: 'tool', toolName: 'mine' }, { type: 'required' }] as const) {
      const { body, warnings } = await sentBy(upstreamOf(wire), { tools: [own(id, args)], toolChoice })
      expect(body.tools ?? body.toolConfig ?? []).toEqual([])
      expect(warnings).toContainEqual(expect.objectContaining({ type: 'unsupported' }))
    }
  })

  it('keeps the other tools of a request', async () => {
    const weather = { type: 'function', name: 'weather', inputSchema: { type: 'object', properties: {} } } as const
    const { body, warned } = await sentBy(upstreamOf('openai-responses'), {
      tools: [own('xai.web_search', { excludedDomains: ['b.example'] }), weather],
      toolChoice: { type: 'tool', toolName: 'weather' },
    })
    expect(body.tools).toMatchObject([{ type: 'function', name: 'weather' }])
    expect(body.tool_choice).toEqual({ type: 'function', name: 'weather' })
    expect(warned).toContain('unsupported')
  })

  it('that a vendor names is called by the name that the program gives to it', async () => {
    const { body, headers, warnings } = await sentBy(upstreamOf('anthropic-messages'), {
      tools: [
        own('anthropic.bash_20250124', {}, 'run'),
        own('anthropic.text_editor_20250728', { maxCharacters: 500 }, 'edit'),
        own('anthropic.memory_20250818', {}, 'memory'),
        own('anthropic.web_fetch_20250910', { maxUses: 2, citations: { enabled: true } }, 'fetch'),
      ],
      toolChoice: { type: 'tool', toolName: 'run' },
      prompt: [
        ...HI,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'run', input: { command: 'ls' } }],
        },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'run', output: { type: 'text', value: 'a' } }],
        },
      ],
    })
    expect(body.tools).toMatchObject([
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 500 },
      { type: 'memory_20250818', name: 'memory' },
      { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2, citations: { enabled: true } },
    ])
    expect(body.tool_choice).toMatchObject({ type: 'tool', name: 'bash' })
    expect(body.messages[1].content[0]).toMatchObject({ type: 'tool_use', name: 'bash', input: { command: 'ls' } })
    expect(headers.get('anthropic-beta')).toContain('context-management-2025-06-27')
    expect(warnings).toEqual([])
  })
})

describe('members of the request in providerOptions', () => {
  it.each([
    [{ reasoningEffort: 'high' }, '"reasoning.effort"'],
    [{ promptCacheKey: 'k' }, '"prompt_cache_key"'],
    [{ serviceTier: 'flex' }, '"service_tier"'],
    [{ reasonig: { effort: 'low' } }, '"reasoning"'],
    [{ paralel_tool_calls: false }, '"parallel_tool_calls"'],
    [{ textVerbosity: 'low' }, '"text.verbosity"'],
    [{ someSetting: 1 }, 'providerOptions.millrace.someSetting'],
  ] as const)('%j is a warning that names %s', async (millrace, name) => {
    for (const wire of ['openai-responses', 'anthropic-messages'] as const) {
      const { warnings } = await sentBy(upstreamOf(wire), { providerOptions: { millrace } })
      const messages = warnings.map((warning) => ('message' in warning ? warning.message : ''))
      expect(messages.join('\n')).toContain(name)
      expect(warnings).toHaveLength(1)
    }
  })

  it('have no warning under their own names, and as those of the vendor', async () => {
    const millrace = { prompt_cache_key: 'k', parallel_tool_calls: false, moderation: { model: 'omni' } }
    const { body, warnings } = await sentBy(upstreamOf('openai-responses'), { providerOptions: { millrace } })
    expect(body).toMatchObject({ prompt_cache_key: 'k', moderation: { model: 'omni' } })
    expect(warnings).toEqual([])
  })
})

describe('warnings', () => {
  it('name the options of the interface', async () => {
    const settings = { topK: 5, seed: 7, stopSequences: ['END'], presencePenalty: 0.5, frequencyPenalty: 0.5 }
    const { warnings } = await sentBy(upstreamOf('openai-responses'), settings)
    expect(warnings.map((warning) => ('feature' in warning ? warning.feature : '')).sort()).toEqual(
      ['frequencyPenalty', 'presencePenalty', 'seed', 'stopSequences', 'topK'].sort(),
    )
  })

  it.each(WIRE_NAMES)('do not name what the provider adds to an effort of reasoning (%s)', async (wire) => {
    const { warned } = await sentBy(upstreamOf(wire), { reasoning: 'high' })
    expect(warned).not.toContain('summary')
  })
})
