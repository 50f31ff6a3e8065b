import type { Request } from '../../src/protocol/request.ts'
import { sealReasoning } from '../../src/responses/encrypted-content.ts'
import type { LoopSettings } from '../../src/search/loop/state.ts'
import { searchTool } from '../../src/search/prompt.ts'
import { headOf } from '../engine/run-engine.ts'
import { requestOf } from '../request-bodies.ts'

/** A request that offers a search, and its loop. */

export const REQUEST: Request = { ...requestOf({ input: 'How high?' }), tools: [searchTool('web_search')] }

export const settingsOf = (fields: Partial<LoopSettings> = {}): LoopSettings => ({
  request: REQUEST,
  tool: 'web_search',
  head: headOf('x'),
  seal: (payload) => sealReasoning({ wire: '', vendor: '', model: '' }, payload),
  style: 'links',
  sources: [],
  showResults: false,
  maxSearches: 5,
  maxResults: 4,
  maxTotalResults: null,
  ...fields,
})
