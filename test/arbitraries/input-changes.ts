import fc from 'fast-check'

/** Items that change the tools or the settings of a request from their place on. */

type Fields = Readonly<Record<string, unknown>>

interface ChangeSeed {
  /** How many of the tools are in an item of the input, and where. */
  readonly moved: number
  readonly at: number
  readonly update: Fields | null
  readonly search: 'client' | 'server' | null
}

const FAR = {
  type: 'function',
  name: 'far',
  description: 'Found later.',
  parameters: { type: 'object', properties: {} },
  defer_loading: true,
}

const UPDATES = [
  { reasoning: { effort: 'low' } },
  { text: { format: { type: 'text' } } },
  { reasoning: { effort: 'high' }, text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' } } } },
]

export const inputChanges: fc.Arbitrary<ChangeSeed> = fc.record({
  moved: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 5 }) }),
  at: fc.nat({ max: 20 }),
  update: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...UPDATES).map((update) => ({ type: 'configuration_update', ...update })),
    },
  ),
  search: fc.constantFrom(null, null, null, null, 'client', 'server'),
})

function searchItems(execution: 'client' | 'server'): readonly Fields[] {
  const call_id = execution === 'client' ? 'call_search' : null
  return [
    { type: 'tool_search_call', call_id, execution, arguments: { query: 'far' }, status: 'completed' },
    { type: 'tool_search_output', call_id, execution, tools: [FAR], status: 'completed' },
    { type: 'function_call', call_id: 'call_far', name: 'far', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_far', output: 'ok' },
  ]
}

const inserted = (list: readonly object[], at: number, items: readonly object[]): readonly object[] => {
  const place = at % (list.length + 1)
  return [...list.slice(0, place), ...items, ...list.slice(place)]
}

/** Puts some tools of a request into an item of its input, and adds a search of tools and new settings. */
export function withChanges<Request extends Fields>(
  fields: Request,
  { moved, at, update, search }: ChangeSeed,
): Fields {
  const tools = (fields.tools as readonly object[] | undefined) ?? []
  const input = fields.input as readonly object[]
  const searching = search === null ? [] : [{ type: 'tool_search', execution: search }, FAR]
  const kept = [...tools.slice(0, tools.length - moved), ...searching]
  const left = tools.slice(Math.max(0, tools.length - moved))
  const added = moved === 0 || left.length === 0 ? [] : [{ type: 'additional_tools', role: 'developer', tools: left }]
  const before = inserted(inserted(input, at, added), at * 7, update === null ? [] : [update])
  return {
    ...fields,
    input: search === null ? before : [...before, ...searchItems(search)],
    ...(kept.length === 0 && fields.tools === undefined ? {} : { tools: kept }),
  }
}
