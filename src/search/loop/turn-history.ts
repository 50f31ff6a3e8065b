import type { FunctionCallItem, Item } from '../../protocol/item.ts'
import { CACHE_LIFETIMES, type InputItem, type Qualified } from '../../protocol/request.ts'
import {
  cacheWrites,
  type LifetimeTokens,
  USAGE_DETAILS,
  type Usage,
  type UsageDetails,
  usageDetails,
} from '../../protocol/usage.ts'
import { isNonEmptyString, isObject, parseJson, toArray } from '../../text/json.ts'
import { flatName } from '../../validation/namespaces.ts'

type Call = Extract<InputItem, { readonly type: 'function_call' }>

/**
 * Converts the output of one turn into history for the next. Hosted calls are left out, because the upstream does not
 * take them back.
 */
export function toHistory(output: readonly Item[]): readonly InputItem[] {
  return output.flatMap((item): readonly InputItem[] => {
    switch (item.type) {
      case 'message':
        return [
          {
            type: 'message',
            role: 'assistant',
            ...(item.phase === undefined ? {} : { phase: item.phase }),
            content: item.content.map((part) =>
              part.type === 'refusal'
                ? { type: 'refusal', refusal: part.refusal }
                : { type: 'output_text', text: part.text },
            ),
          },
        ]
      case 'reasoning': {
        const { summary, content, encrypted_content } = item
        const texts = { summary: summary.map(({ text }) => text), content: content.map(({ text }) => text) }
        return [{ type: 'reasoning', ...texts, encrypted_content }]
      }
      case 'function_call': {
        const { call_id, name, namespace, arguments: json } = item
        // The upstream has namespaces: the head of a turn has no names to replace.
        const names = namespace === undefined ? { name } : qualifiedName({ namespace, name })
        return [{ type: 'function_call', call_id, ...names, arguments: json }]
      }
      default:
        return []
    }
  })
}

const qualifiedName = (qualified: Qualified): Pick<Call, 'name' | 'qualified'> => ({
  name: flatName(qualified.namespace, qualified.name),
  qualified,
})

export const outputOf = (call_id: string, text: string): InputItem => ({
  type: 'function_call_output',
  call_id,
  output: [{ type: 'input_text', text }],
})

/**
 * Returns the query of a call; empty if there is none. Models do not always follow the schema, so other forms are
 * accepted.
 */
export function queryOf({ arguments: json }: FunctionCallItem): string {
  const args = parseJson(json)
  const query = isObject(args) ? (args.query ?? args.q ?? toArray(args.queries)[0]) : args
  return isNonEmptyString(query) ? query.trim() : ''
}

const knownUsage = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0))
const both = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)

const addDetails = (a: UsageDetails = {}, b: UsageDetails = {}): UsageDetails =>
  Object.fromEntries(USAGE_DETAILS.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]))
const addWrites = ({ cache_writes: a }: Usage, { cache_writes: b }: Usage): LifetimeTokens =>
  Object.fromEntries(CACHE_LIFETIMES.map((lifetime) => [lifetime, (a?.[lifetime] ?? 0) + (b?.[lifetime] ?? 0)]))

/**
 * Adds the usage of two turns. A count is known if it is known for both. Details, which upstreams leave out if they are
 * zero, are the sum of the known values.
 */
export const addUsage = (a: Usage | null, b: Usage): Usage =>
  a === null
    ? b
    : {
        input_tokens: both(a.input_tokens, b.input_tokens),
        output_tokens: both(a.output_tokens, b.output_tokens),
        total_tokens: both(a.total_tokens, b.total_tokens),
        cached_tokens: knownUsage(a.cached_tokens, b.cached_tokens),
        reasoning_tokens: knownUsage(a.reasoning_tokens, b.reasoning_tokens),
        ...cacheWrites((a.cache_write_tokens ?? 0) + (b.cache_write_tokens ?? 0), addWrites(a, b)),
        // The price of one turn alone would be too low.
        ...(a.cost === undefined || b.cost === undefined ? {} : { cost: a.cost + b.cost }),
        ...usageDetails(addDetails(a.details, b.details)),
      }

/** The usage of a turn that reported none. */
export const NO_USAGE: Usage = {
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  cached_tokens: null,
  reasoning_tokens: null,
}
