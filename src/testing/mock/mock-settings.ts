import { didYouMean } from '../../text/did-you-mean.ts'
import { MOCK_FAULTS } from './faults.ts'

/** How a mock answers: set for the server, by headers of a request, or in the name of its model, the last of them first. */
export interface MockSettings {
  /** The name of a defect. */
  readonly fault?: string
  /** The size of the pieces of a body, in bytes. */
  readonly pieces?: number
  /** Milliseconds before the head. */
  readonly delay?: number
  /** Milliseconds between two pieces. */
  readonly pace?: number
  /** The connection breaks after so many bytes of the body. */
  readonly cut?: number
}

const NAMES = ['fault', 'pieces', 'delay', 'pace', 'cut'] as const satisfies readonly (keyof MockSettings)[]
type Name = (typeof NAMES)[number]

const isName = (name: string): name is Name => NAMES.some((one) => one === name)

const LARGEST = 1_000_000_000

/** Throws an Error that names a wrong value. */
export function parseSetting(name: Name, value: string): MockSettings {
  if (name === 'fault') {
    if (Object.hasOwn(MOCK_FAULTS, value)) return { fault: value }
    throw new Error(`fault: unknown "${value}".${didYouMean(value, Object.keys(MOCK_FAULTS))}`)
  }
  const count = /^\d{1,9}$/.test(value) ? Number(value) : LARGEST
  if (count === LARGEST || (name === 'pieces' && count === 0))
    throw new Error(`${name}: expected a whole number${name === 'pieces' ? ' from 1' : ''}, got "${value}"`)
  return { [name]: count }
}

/** The settings in headers, such as `x-mock-pieces: 1`. */
export const settingsOfHeaders = (headers: Readonly<Record<string, string>>): MockSettings =>
  joinSettings(
    NAMES.flatMap((name) => {
      const value = headers[`x-mock-${name}`]
      return value === undefined ? [] : [parseSetting(name, value)]
    }),
  )

/** A later setting replaces an earlier one. */
const joinSettings = (all: readonly MockSettings[]): MockSettings =>
  Object.fromEntries(all.flatMap((one) => Object.entries(one)))

/** A model such as `hello+pieces-1+fault-usage-total`: a name and settings. */
export function parseMockModel(model: string): { readonly name: string; readonly settings: MockSettings } {
  const [name = '', ...parts] = model.split('+')
  const settings = parts.map((part) => {
    const [key = '', ...words] = part.split('-')
    if (!isName(key)) throw new Error(`"${part}": expected one of ${NAMES.join(', ')}, such as pieces-1`)
    return parseSetting(key, words.join('-'))
  })
  return { name, settings: joinSettings(settings) }
}
