import { didYouMean } from '../text/did-you-mean.ts'
import { isObject } from '../text/json.ts'
import { WIRES } from '../wires/registry.ts'

/** The names of all options with the values that are allowed; null: any. */
export type OptionNames = Readonly<Record<string, readonly string[] | null>>

export const WIRE_NAMES = Object.keys(WIRES)
export const PACES = ['fast', 'recorded'] as const
export const MATCH_MODES = ['order', 'exact'] as const

const shown = (value: unknown): string => JSON.stringify(value) ?? String(value)

/**
 * Throws a TypeError for an option that does not exist, and for a value that is not allowed: a test in plain JavaScript
 * would pass with other options than it has.
 */
export function checkTestOptions(options: unknown, names: OptionNames): void {
  if (!isObject(options)) throw new TypeError(`options: expected an object, got ${shown(options)}`)
  for (const [name, value] of Object.entries(options)) {
    const allowed = Object.hasOwn(names, name) ? names[name] : undefined
    const known = Object.keys(names)
    if (allowed === undefined)
      throw new TypeError(`${name}: no such option.${didYouMean(name, known)} The options are ${known.join(', ')}.`)
    if (allowed !== null && value !== undefined && !allowed.some((one) => one === value))
      throw new TypeError(`${name}: expected one of ${allowed.join(', ')}, got ${shown(value)}`)
  }
}
