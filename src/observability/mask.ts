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

/** The value of each parameter, which may be a token, and path segments as long as one: `https://a.example/in?token=********`. */
function maskUrl(url: string): string {
  const [, before = url, path = '', query = '', fragment = ''] =
    /^(\w+:\/\/[^/?#]*)([^?#]*)(\??[^#]*)(#?.*)$/.exec(url) ?? []
  const shownPath = path.split('/').map((segment) => (segment.length < SHORTEST_SHOWN ? segment : maskSecret(segment)))
  const shownQuery = query.replace(/([?&][^=&]*=)([^&]*)/g, (_, name: string, value: string) =>
    value === '' ? name : `${name}${maskSecret(value)}`,
  )
  return before + shownPath.join('/') + shownQuery + (fragment.length > 1 ? `#${HIDDEN}` : fragment)
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
