import type { JsonObject } from '../protocol/json.ts'
import { lookup } from '../text/lookup.ts'
import type { Destination, FilterRule, FilterRules } from './destination.ts'
import { type Field, VARIANTS, type Variant } from './variants.ts'

/** Of a shorter secret eight shown characters would be too much. */
const SHORTEST_SHOWN = 20
const EDGE = 4
const HIDDEN = '********'

/**
 * A secret as it may be shown: four characters, three dots, the last four; one of fewer than twenty characters is eight
 * asterisks, which tell nothing of its length.
 */
export function maskSecret(secret: string): string {
  const characters = [...secret]
  if (characters.length < SHORTEST_SHOWN) return HIDDEN
  return `${characters.slice(0, EDGE).join('')}...${characters.slice(-EDGE).join('')}`
}

/** A DSN is public by its vendor's word; the password that old ones have is not. */
const maskPassword = (url: string): string =>
  url.replace(
    /^(\w+:\/\/[^/@:]*:)([^@]*)@/,
    (_, before: string, password: string) => `${before}${maskSecret(password)}@`,
  )

/** The text before a mark, and the rest with it. */
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
 * The value of each parameter, which may be a token, and names and path segments as long as one are masked:
 * `https://a.example/in?token=********`.
 */
function maskUrl(url: string): string {
  const [address, fragment] = cutAt(url, '#')
  const [path, query] = cutAt(address, '?')
  const [scheme, , host, ...segments] = path.split('/')
  const shownPath = [scheme, '', host, ...segments.map(maskSegment)].join('/')
  const shownQuery = query === '' ? '' : `?${query.slice(1).split('&').map(maskParameter).join('&')}`
  return shownPath + shownQuery + (fragment.length > 1 ? `#${HIDDEN}` : fragment)
}

function show(field: Field | undefined, value: string): string {
  if (field?.secret === 'whole') return maskSecret(value)
  if (field?.type === 'url') return maskUrl(value)
  return field?.secret === 'password' ? maskPassword(value) : value
}

/** The destination as the list shows it: the description's fields, secrets and the values of headers masked. */
export function viewDestination({ release, config, ...rest }: Destination): JsonObject {
  const fields: Variant = VARIANTS[rest.type]
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
