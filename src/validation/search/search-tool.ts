import type { JsonObject } from '../../protocol/json.ts'
import type { Tool } from '../../protocol/request.ts'
import { isObject } from '../../text/json.ts'

export type HostedTool = Extract<Tool, { readonly type: 'hosted' }>

/** The name of this service's search tool, the names of others for the same tool, and their dated forms. */
const NAMES = /^(?:(?:service|openrouter):web_search|web_search(?:_preview)?(?:_\d{4}_\d\d_\d\d|_\d{8})?)$/

export const isSearchName = (name: string): boolean => NAMES.test(name)

export const isSearchTool = (tool: Tool): tool is HostedTool => tool.type === 'hosted' && isSearchName(tool.name)

/**
 * Returns whether a search tool forbids the live web: `external_web_access: false` (OpenAI's web search guide), beside
 * its type or in its parameters.
 */
export const isOffline = ({ fields: { external_web_access: access, parameters } }: HostedTool): boolean =>
  access === false || (isObject(parameters) && parameters.external_web_access === false)

/** Why a search that must stay offline is dropped. */
export const NO_STORED_PAGES = 'this upstream can only search the live web, and external_web_access is false'

/** Returns whether a value requests only what every search does by default. */
export const isIdleField = (name: string, value: unknown): boolean =>
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (name === 'external_web_access' && value === true) ||
  (name === 'engine' && (value === 'auto' || value === 'native'))

const NESTS: ReadonlySet<string> = new Set(['parameters', 'filters'])

/**
 * Returns the fields of a server tool that request something, by their paths in it: those of `parameters` and `filters`
 * one by one.
 */
export function requestedFields(fields: JsonObject, inside = ''): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = inside + name
    if (isIdleField(name, value)) return []
    return NESTS.has(name) && isObject(value) ? requestedFields(value as JsonObject, `${path}.`) : [path]
  })
}
