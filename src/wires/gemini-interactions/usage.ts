import type { JsonRecord } from '../../protocol/json.ts'
import { readTokens, type Usage, type UsageDetails } from '../../protocol/usage.ts'
import { isObject, toArray } from '../../text/json.ts'
import { readUsage, type UsageNames, writeUsage } from '../shared/google/answers.ts'
import type { InteractionUsage } from './json.ts'

const NAMES: UsageNames = {
  input: 'total_input_tokens',
  tools: 'total_tool_use_tokens',
  cached: 'total_cached_tokens',
  output: 'total_output_tokens',
  reasoning: 'total_thought_tokens',
  total: 'total_tokens',
  lists: {
    input: 'input_tokens_by_modality',
    cached: 'cached_tokens_by_modality',
    output: 'output_tokens_by_modality',
  },
  toolList: 'tool_use_tokens_by_modality',
  count: 'tokens',
  spell: (kind) => kind,
}

function searchesIn({ grounding_tool_count: counts }: JsonRecord): UsageDetails {
  const searches = toArray(counts).flatMap((entry) => {
    const count = isObject(entry) && entry.type === 'google_search' ? readTokens(entry.count) : null
    return count === null ? [] : [count]
  })
  return searches.length === 0 ? {} : { web_search_requests: searches.reduce((sum, count) => sum + count, 0) }
}

export const toUsage = (found: JsonRecord): Usage | null => readUsage(found, NAMES, searchesIn(found))

/** The object is never left out: clients read its members without a test. */
export const fromUsage = (usage: Usage | null): InteractionUsage => (usage === null ? {} : writeUsage(usage, NAMES))
