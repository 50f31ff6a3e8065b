import type { JsonRecord } from '../../../protocol/json.ts'
import { costOf, type Usage } from '../../../protocol/usage.ts'
import { isObject } from '../../../text/json.ts'
import type { Members } from './answers/members.ts'

/** xAI counts in ticks (docs.x.ai: `cost_in_usd_ticks`). */
const TICKS_PER_DOLLAR = 1e10

/** The members in which vendors report the price. */
export const COST_MEMBERS = ['cost', 'cost_in_usd_ticks', 'estimated_cost'] as const

/** The members of a price that is an object: Perplexity lists its parts, Venice its currencies. */
export const COST: Members = {
  read: ['total_cost', 'usd'],
  ignored: {
    total: [
      'input_tokens_cost',
      'output_tokens_cost',
      'reasoning_tokens_cost',
      'citation_tokens_cost',
      'search_queries_cost',
      'request_cost',
      'diem',
    ],
  },
}

/** Returns the price of an answer in US dollars; empty if a usage object has none. A price above 0 counts first. */
export function readCost({
  cost,
  cost_in_usd_ticks: ticks,
  estimated_cost: estimated,
}: JsonRecord): Pick<Usage, 'cost'> {
  if (cost === undefined && ticks === undefined && estimated === undefined) return NO_COST
  const own = isObject(cost) ? (cost.total_cost ?? cost.usd) : cost
  const inDollars = typeof ticks === 'number' ? ticks / TICKS_PER_DOLLAR : undefined
  const known = [own, inDollars, estimated].map(costOf).filter((found) => found.cost !== undefined)
  return known.find((found) => (found.cost ?? 0) > 0) ?? known[0] ?? NO_COST
}

const NO_COST: Pick<Usage, 'cost'> = {}
