import { clientError, type GatewayError } from '../protocol/error.ts'
import type { Json } from '../protocol/json.ts'
import { isUnaddressed, type Request } from '../protocol/request.ts'
import { isHostedType } from '../responses/hosted-tools.ts'
import { describeValue, oneOf } from '../validation/messages.ts'
import type { Dialect } from './dialect.ts'
import { memoizeByDialect } from './memoize.ts'

/** The entry of `include` that requests the pages that a web search found (OpenAI, Responses API, `include`). */
const SOURCES = 'web_search_call.action.sources'

const withoutSources = memoizeByDialect((dialect): Dialect => ({ ...dialect, hidesSources: true }))

/** Returns the dialect without those fields that only `include` adds, unless this request includes them. */
export const dialectFor = (dialect: Dialect, { include }: Pick<Request, 'include'>): Dialect =>
  include.includes(SOURCES) ? dialect : withoutSources(dialect)

/** The item types of docs/description.md, 2.5, and the types of items in answers of the gateway. */
const ITEM_TYPES = ['message', 'function_call', 'function_call_output', 'reasoning', 'or another type of output item']

/** Returns an error if the dialect's union of items is closed and the history has an item of unknown type; else null. */
export function findUnknownItem({ inputItems }: Pick<Dialect, 'inputItems'>, { input }: Request): GatewayError | null {
  if (inputItems === 'open') return null
  const at = input.findIndex((item) => item.type === 'other' && !isExpected(item.item.type))
  const item = input[at]
  if (item?.type !== 'other') return null
  if (isUnaddressed(item.item)) {
    const missing = `input[${at}].call_id`
    return clientError('invalid_prompt', `${missing}: expected a string, got nothing`, missing)
  }
  const path = `input[${at}].type`
  const message = `${path}: expected ${oneOf(ITEM_TYPES)}, got ${describeValue(item.item.type)}`
  return clientError('invalid_prompt', message, path)
}

/** Items of requests alone (@openrouter/sdk 1.3, `AdditionalToolsItem`, `ConfigurationUpdateItem`). */
const OF_REQUESTS: ReadonlySet<unknown> = new Set(['item_reference', 'additional_tools', 'configuration_update'])

const isExpected = (type: Json | undefined): boolean => OF_REQUESTS.has(type) || isHostedType(type)
