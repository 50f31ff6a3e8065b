import { describe, expect, it } from 'vitest'
import { dialectFor } from '../../src/dialects/for-request.ts'
import { openai } from '../../src/dialects/openai.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import { WIRES } from '../../src/wires/registry.ts'

const HEAD = { id: 'resp_1', created_at: 1, model: 'm', echo: EMPTY_ECHO }
const SEARCH = {
  type: 'web_search_call',
  id: 'ws_up',
  status: 'completed',
  action: { type: 'search', query: 'mills', queries: ['mills'], sources: [{ type: 'url', url: 'https://a.example/' }] },
}
const BODY = JSON.stringify({ id: 'r', object: 'response', status: 'completed', model: 'm', output: [SEARCH] })

/** Returns the search of a native upstream as the dialect for this request shows it. */
function searchFor(include: readonly string[]): JsonObject {
  const dialect = dialectFor(openai, { include })
  const { body: response, outcome } = translateWholeBody(
    { wire: WIRES['openai-responses'], target: dialectTarget(dialect), head: HEAD },
    BODY,
  )
  expect(outcome.losses).toEqual([])
  return (response.output as readonly JsonObject[])[0] as JsonObject
}

describe('the dialect for a request', () => {
  it('shows the sources of a search only if the request includes them', () => {
    const { sources: _, ...action } = SEARCH.action
    expect(searchFor([]).action).toEqual(action)
    expect(searchFor(['reasoning.encrypted_content']).action).toEqual(action)
    expect(searchFor(['web_search_call.action.sources']).action).toEqual(SEARCH.action)
  })

  it('is created once for each dialect and set of includes', () => {
    for (const dialect of Object.values(DIALECTS)) {
      expect(dialectFor(dialect, { include: [] })).toBe(dialectFor(dialect, { include: ['x'] }))
      expect(dialectFor(dialect, { include: ['web_search_call.action.sources'] })).toBe(dialect)
    }
  })
})
