import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { valueAt } from '../../../text/json-path.ts'
import { type HostedTool, isOffline, requestedFields } from '../../../validation/search/search-tool.ts'

/** The fields in which clients write allowed domains, and the fields for excluded domains. */
const ALLOWED = /^(?:(?:parameters|filters)\.)*(?:allowed|include)_domains$/
const EXCLUDED = /^(?:(?:parameters|filters)\.)*(?:excluded?|blocked)_domains$/
const SIZE = /^(?:parameters\.)?search_context_size$/
const LOCATION = /^(?:parameters\.)?user_location$/

const LOCATION_FIELDS = ['country', 'region', 'city'] as const

function locationOf(value: unknown): JsonObject | null {
  if (!isObject(value)) return null
  const known = LOCATION_FIELDS.flatMap((name): [string, Json][] => {
    const word = value[name]
    return isNonEmptyString(word) ? [[name, word]] : []
  })
  return known.length === 0 ? null : Object.fromEntries(known)
}

/**
 * Encodes a search tool as fields of the body, for models that search for every answer (docs/wires/openai-chat.md, 9.5;
 * docs.perplexity.ai: `search_domain_filter`, `web_search_options`). A search that must stay offline is switched off
 * (`disable_search`).
 */
export function encodeSearchFields(
  tool: HostedTool,
  path: string,
): { readonly fields: JsonObject; readonly losses: readonly Loss[] } {
  if (isOffline(tool)) {
    return {
      fields: { disable_search: true },
      losses: [dropped(path, 'this upstream can only search the live web: its search is disabled')],
    }
  }
  const requested = requestedFields(tool.fields)
  const domainsAt = (is: RegExp): readonly string[] =>
    requested
      .filter((name) => is.test(name))
      .flatMap((name) => toArray(valueAt(tool.fields, name)).filter(isNonEmptyString))
  const filter = [...domainsAt(ALLOWED), ...domainsAt(EXCLUDED).map((domain) => `-${domain}`)]
  const fieldAt = (is: RegExp): unknown => {
    const name = requested.find((one) => is.test(one))
    return name === undefined ? undefined : valueAt(tool.fields, name)
  }
  const size = fieldAt(SIZE)
  const location = locationOf(fieldAt(LOCATION))
  const options = {
    ...(isNonEmptyString(size) ? { search_context_size: size } : {}),
    ...(location === null ? {} : { user_location: location }),
  }
  const known = [ALLOWED, EXCLUDED, SIZE, LOCATION]
  return {
    fields: {
      ...(filter.length === 0 ? {} : { search_domain_filter: filter }),
      ...(Object.keys(options).length === 0 ? {} : { web_search_options: options }),
    },
    losses: requested
      .filter((name) => !known.some((is) => is.test(name)))
      .map((name) => dropped(`${path}.${name}`, 'the search of this upstream has no such field')),
  }
}
