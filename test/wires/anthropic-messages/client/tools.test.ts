import { describe, expect, it } from 'vitest'
import { HOME } from '../client-bodies.ts'
import { bodyOf, FUNCTION, lossesOf } from '../requests.ts'

describe('tools of an Anthropic client', () => {
  const tools = (...list: readonly object[]) => bodyOf({ tools: list }).tools

  it.each<[object, object]>([
    [FUNCTION, { type: 'function', name: 'f', description: 'D', parameters: FUNCTION.input_schema }],
    [
      { type: 'custom', name: 'f', input_schema: {}, strict: true },
      { type: 'function', name: 'f', parameters: {}, strict: true },
    ],
    [{ type: 'web_search_20250305', name: 'web_search' }, { type: 'web_search' }],
    [
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 3,
        allowed_domains: ['a.example'],
        blocked_domains: null,
        user_location: { type: 'approximate', city: 'Bern' },
      },
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'] },
        user_location: { type: 'approximate', city: 'Bern' },
        max_uses: 3,
      },
    ],
    [
      { type: 'web_search_20260209', name: 'web_search', blocked_domains: ['b.example'] },
      { type: 'web_search', filters: { blocked_domains: ['b.example'] } },
    ],
    [
      { type: 'code_execution_20250825', name: 'code_execution' },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ],
    [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'bash_20250124', name: 'bash' },
    ],
    [
      { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2, cache_control: { type: 'ephemeral' } },
      {
        type: 'web_fetch_20250910',
        name: 'web_fetch',
        max_uses: 2,
        prompt_cache_breakpoint: { mode: 'explicit', ttl: null },
      },
    ],
  ])('are decoded to tools of Responses: %j', (tool, expected) => {
    expect(tools(tool)).toEqual([expected])
  })

  it('are unchanged for a vendor of this wire', () => {
    const tool = { type: 'code_execution_20250825', name: 'code_execution' }
    expect(bodyOf({ tools: [tool] }, HOME).tools).toEqual([tool])
  })

  it('record fields that cannot be carried as losses', () => {
    expect(
      lossesOf({ tools: [{ ...FUNCTION, input_examples: [{}], defer_loading: true, allowed_callers: ['x'] }] }),
    ).toEqual(['tools[0].input_examples dropped', 'tools[0].defer_loading dropped', 'tools[0].allowed_callers dropped'])
    expect(lossesOf({ tools: [{ type: 'mcp_toolset', mcp_server_name: 's' }] })).toEqual(['tools[0] dropped'])
    expect(lossesOf({ tools: [{ type: 'web_search_20260209', name: 'web_search' }] })).toEqual(['tools[0].type mapped'])
  })

  it.each<[object, object]>([
    [{ type: 'auto' }, { tool_choice: 'auto' }],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [{ type: 'tool', name: 'f' }, { tool_choice: { type: 'function', name: 'f' } }],
    [{ type: 'tool', name: 'web_search' }, { tool_choice: { type: 'web_search' } }],
    [{ type: 'tool', name: 'bash' }, { tool_choice: { type: 'bash_20250124' } }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    [{ type: 'auto', disable_parallel_tool_use: false }, { tool_choice: 'auto' }],
  ])('are decoded with the choice %j', (tool_choice, expected) => {
    const list = [
      FUNCTION,
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'bash_20250124', name: 'bash' },
    ]
    const { tools: _, ...rest } = bodyOf({ tools: list, tool_choice })
    expect(rest).toEqual(expected)
  })
})
