import type { JsonObject } from '../protocol/json.ts'
import { lookup } from '../text/lookup.ts'
import type { Destination, FilterRule, FilterRules } from './destination.ts'
import { DESTINATION_FIELDS, type DestinationField, type DestinationFields } from './destination-types.ts'

/** In a shorter secret, eight visible characters would reveal too much. */
const SHORTEST_SHOWN = 20
const EDGE = 4
const HIDDEN = '********'

/**
 * Masks a secret: its first four characters, three dots, its last four. A secret of fewer than twenty characters
 * becomes eight asterisks, which do not reveal its length.
 */
export function maskSecret(secret: string): string {
  const characters = [...secret]
  if (characters.length < SHORTEST_SHOWN) return HIDDEN
  return `${characters.slice(0, EDGE).join('')}...${characters.slice(-EDGE).join('')}`
}

/** A DSN is public according to its vendor; the password in a DSN of the older form is not. */
const maskPassword = (url: string): string =>
  url.replace(
    /^(\w+:\/\/[^/@:]*:)([^@]*)@/,
    (_, before: string, password: string) => `${before}${maskSecret(password)}@`,
  )

/** Splits a text before a mark; the mark belongs to the second part. */
function cutAt(text: string, mark: string): readonly [before: string, rest: string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

const maskSegment = (segment: string): string => (segment.length < SHORTEST_SHOWN ? segment : maskSecret(segment))

function maskParameter(parameter: string): string {
  const [name, value] = cutAt(parameter, '=')
  return value.length < 2 ? maskSegment(name) + value : `${name}=${maskSecret(value.slice(1))}`
}

/**
 * Masks the value of each parameter, because it may be a token, and names and path segments that are as long as a
 * token: `https://a.example/in?token=********`.
 */
function maskUrl(url: string): string {
  const [address, fragment] = cutAt(url, '#')
  const [path, query] = cutAt(address, '?')
  const [scheme, , host, ...segments] = path.split('/')
  const shownPath = [scheme, '', host, ...segments.map(maskSegment)].join('/')
  const shownQuery = query === '' ? '' : `?${query.slice(1).split('&').map(maskParameter).join('&')}`
  return shownPath + shownQuery + (fragment.length > 1 ? `#${HIDDEN}` : fragment)
}

function show(field: DestinationField | undefined, value: string): string {
  if (field?.secret === 'whole') return maskSecret(value)
  if (field?.type === 'url') return maskUrl(value)
  return field?.secret === 'password' ? maskPassword(value) : value
}

/**
 * Returns the destination as the list shows it: the fields of docs/description.md, 2.1, with secrets and header values
 * masked.
 */
export function viewDestination({ release, config, ...rest }: Destination): JsonObject {
  const fields: DestinationFields = DESTINATION_FIELDS[rest.type]
  const { headers, ...values } = config
  const shown = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, show(lookup(fields, name), value)]] : [],
  )
  const masked = Object.entries(headers ?? {}).map(([name, value]) => [name, maskSecret(value)])
  const { filter_rules, ...plain } = rest
  return {
    ...plain,
    filter_rules: filter_rules === null ? null : viewRules(filter_rules),
    config: { ...Object.fromEntries(shown), ...(headers === undefined ? {} : { headers: Object.fromEntries(masked) }) },
  }
}

const viewRules = ({ enabled, groups }: FilterRules): JsonObject => ({
  enabled,
  groups: groups.map(({ logic, rules }) => ({ logic, rules: rules.map(viewRule) })),
})

const viewRule = ({ field, operator, value }: FilterRule): JsonObject =>
  value === undefined ? { field, operator } : { field, operator, value }
