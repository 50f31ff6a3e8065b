import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GivenChoice, GivenTool } from '../../src/protocol/request.ts'
import { flatName } from '../../src/validation/namespaces.ts'
import { toolPaths, toToolOffer, unknownTool } from '../../src/validation/tool-choice.ts'
import { countGrowth, MOST_GROWTH } from '../complexity/growth.ts'
import { check } from '../property.ts'

const word = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'web_search')
const named = fc
  .record({
    type: fc.constantFrom('function' as const, 'custom' as const),
    name: word,
  })
  .map(
    ({ type, name }): Extract<GivenTool, { type: 'function' | 'custom' }> =>
      type === 'function'
        ? { type, name, description: null, parameters: null, strict: null }
        : { type, name, description: null, format: null },
  )
const given = fc.array(
  fc.oneof(
    named,
    word.map((name): GivenTool => ({ type: 'hosted', name, fields: {} })),
    fc
      .tuple(word, fc.array(named, { maxLength: 3 }))
      .map(([name, tools]): GivenTool => ({ type: 'namespace', name, description: null, tools })),
  ),
  { maxLength: 6 },
)
const entry = fc.record({ type: fc.oneof(fc.constantFrom('function', 'custom', 'namespace'), word), name: word })
const allowing = fc
  .array(entry, { maxLength: 5 })
  .map((tools) => ({ type: 'allowed_tools' as const, mode: 'auto' as const, tools }))

/** Returns whether an entry of `allowed_tools` selects a tool, by name, one by one. */
const means = (one: { type: string; name: string }, tool: GivenTool, space: string | null): boolean => {
  if (tool.type === 'namespace') return false
  if (one.type === 'namespace') return one.name === space
  if (tool.type === 'hosted') return one.type === tool.name
  return one.name === tool.name || (space !== null && one.name === flatName(space, tool.name))
}

const eachTool = (tools: readonly GivenTool[]): (readonly [GivenTool, string | null])[] =>
  tools.flatMap((tool): (readonly [GivenTool, string | null])[] =>
    tool.type === 'namespace' ? tool.tools.map((inner) => [inner, tool.name] as const) : [[tool, null]],
  )

/** Duplicate names are rejected before this step. */
const areDistinct = (tools: readonly GivenTool[]): boolean => {
  const names = eachTool(tools).map(([tool, space]) => (space === null ? tool.name : flatName(space, tool.name)))
  return new Set(names).size === names.length
}

describe('the tool choice allowed_tools', () => {
  it('keeps the tools that an entry selects, and reports the first entry that selects none', () => {
    check(
      fc.property(given.filter(areDistinct), allowing, (tools, choice) => {
        const all = eachTool(tools)
        const kept = all.filter(([tool, space]) => choice.tools.some((one) => means(one, tool, space)))
        const offer = toToolOffer(tools, choice)
        expect(offer.tools.map(({ name }) => name)).toEqual(
          kept.map(([tool, space]) => (space === null ? tool.name : flatName(space, tool.name))),
        )
        const stray = choice.tools.findIndex((one) => !all.some(([tool, space]) => means(one, tool, space)))
        expect(unknownTool(tools, choice)?.path.slice(0, 3) ?? null).toEqual(
          stray < 0 ? null : ['tool_choice', 'tools', stray],
        )
        const places = toolPaths({ ...offer, given: { tools, tool_choice: choice } })
        expect(new Set(places.values()).size).toBe(offer.tools.length)
      }),
      2000,
    )
  })

  it('takes a number of steps linear in the number of tools', () => {
    const { costs, factor } = countGrowth((length) => {
      const tools = Array.from(
        { length },
        (_, at): GivenTool => ({
          type: 'function',
          name: `f${at}`,
          description: null,
          parameters: null,
          strict: null,
        }),
      )
      const choice: GivenChoice = {
        type: 'allowed_tools',
        mode: 'auto',
        tools: tools.map(({ type, name }) => ({ type, name })).reverse(),
      }
      return () => {
        if (unknownTool(tools, choice) !== null) throw new Error('an unknown tool')
        if (toToolOffer(tools, choice).tools.length !== length) throw new Error('a tool is missing')
      }
    })
    expect(factor, costs.join(' to ')).toBeLessThanOrEqual(MOST_GROWTH)
  })
})
