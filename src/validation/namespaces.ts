import type { GivenTool, InputItem, NamedTool, Qualified, QualifiedNames, Tool } from '../protocol/request.ts'
import { fnv1a } from '../text/hash.ts'

/** Every upstream accepts function names of up to this length, without characters that `ODD` matches. */
const LONGEST_NAME = 64
const ODD = /[^A-Za-z0-9_-]/g

/** Returns eight hexadecimal digits of a hash of the text. */
const digest = (text: string): string => fnv1a(text).toString(16).padStart(8, '0')

/**
 * Joins a name with its namespace: `crm` and `find` → `crm__find`. The result depends on nothing else, so that calls of
 * the history get the name of their tool. A result that is too long, or has characters that upstreams refuse, ends in a
 * digest.
 */
export function flatName(namespace: string, name: string): string {
  const joined = namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`
  const plain = joined.replace(ODD, '_')
  if (plain === joined && plain.length <= LONGEST_NAME) return plain
  return `${plain.slice(0, LONGEST_NAME - 9)}_${digest(`${namespace}\u0000${name}`)}`
}

interface NameRule {
  readonly longest: number
  /** The characters that a name must not have. */
  readonly odd: RegExp
  /** The name begins with a letter or `_`. */
  readonly isLed: boolean
  readonly words: string
}

/** The names of tools that vendors accept. */
export const NAME_STYLES = {
  short: { longest: LONGEST_NAME, odd: ODD, isLed: false, words: 'at most 64 letters, digits, _ and -' },
  letter: {
    longest: LONGEST_NAME,
    odd: ODD,
    isLed: true,
    words: 'a letter or _, and at most 63 more letters, digits, _ and -',
  },
  long: { longest: 128, odd: ODD, isLed: false, words: 'at most 128 letters, digits, _ and -' },
  google: {
    longest: 128,
    odd: /[^\w.:-]/g,
    isLed: true,
    words: 'a letter or _, and at most 127 more letters, digits, _ . : and -',
  },
} as const satisfies Readonly<Record<string, NameRule>>

export type ToolNameStyle = keyof typeof NAME_STYLES

/** Returns the name of a tool in the form that a vendor accepts. Equal names stay equal. */
export function toToolName(name: string, style: ToolNameStyle): string {
  const { longest, odd, isLed } = NAME_STYLES[style]
  const prefixed = (isLed && /^[^A-Za-z_]/.test(name)) || name === '' ? `_${name}` : name
  const plain = prefixed.replace(odd, '_')
  if (plain === prefixed && plain.length <= longest) return plain
  return `${plain.slice(0, longest - 9)}_${digest(name)}`
}

/** "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (Claude). */
const PLAIN_PARAMETER = /^[\w.-]{1,64}$/

/** Returns the name of a function's parameter in the form that Claude accepts, without a digest where that is short enough. */
export function toParameterName(name: string): string {
  if (PLAIN_PARAMETER.test(name)) return name
  const plain = name.replace(/[^\w.-]+/g, '_').replace(/^_|_$/g, '')
  const isWhole = plain !== '' && plain.length <= LONGEST_NAME
  return isWhole ? plain : `${plain.slice(0, LONGEST_NAME - 9)}_${digest(name)}`
}

/**
 * Returns the names that do not fit, with those that an upstream accepts instead. `toFitting`: leaves a name that fits as
 * it is. A name that another one has gets a number.
 */
export function fittingNames(
  names: ReadonlySet<string>,
  toFitting: (name: string) => string,
): ReadonlyMap<string, string> {
  const fitting = new Map<string, string>()
  const taken = new Set<string>()
  for (const name of names) if (toFitting(name) === name) taken.add(name)
  if (taken.size === names.size) return fitting
  for (const name of names) {
    if (taken.has(name)) continue
    let own = toFitting(name)
    for (let count = 2; taken.has(own); count += 1) own = toFitting(`${name} ${count}`)
    taken.add(own)
    fitting.set(name, own)
  }
  return fitting
}

/** Upstreams have no description of a whole namespace, so that each of its tools repeats it. */
const described = (tool: NamedTool, about: string | null): string | null => {
  const texts = [about, tool.description].filter((text) => text !== null && text !== '')
  return texts.length === 0 ? tool.description : texts.join('\n\n')
}

const isNamespace = ({ type }: GivenTool): boolean => type === 'namespace'

/** Returns every tool by itself, those of namespaces under their joined names. */
export const flatten = (given: readonly GivenTool[]): readonly Tool[] => {
  if (!given.some(isNamespace)) return given as readonly Tool[]
  return given.flatMap((tool): readonly Tool[] => {
    if (tool.type !== 'namespace') return [tool]
    const { name, description, tools } = tool
    return tools.map((inner) => ({
      ...inner,
      name: flatName(name, inner.name),
      description: described(inner, description),
    }))
  })
}

const NO_NAMES: QualifiedNames = {}

/** Returns the original names of the tools that `flatten` renamed. */
export const toQualifiedNames = (given: readonly GivenTool[]): QualifiedNames =>
  given.some(isNamespace)
    ? Object.fromEntries(
        given.flatMap((tool) =>
          tool.type === 'namespace'
            ? tool.tools.map(({ name }) => [flatName(tool.name, name), { namespace: tool.name, name }] as const)
            : [],
        ),
      )
    : NO_NAMES

/** Whether the namespace of a call only repeats the name of a tool that has none, as OpenAI's answers do. */
const repeatsName = (item: InputItem, names: QualifiedNames): boolean =>
  'qualified' in item &&
  item.qualified !== undefined &&
  item.qualified.namespace === item.qualified.name &&
  !Object.hasOwn(names, item.name)

/** Gives such calls of the history the name of their tool. `names`: the result of `toQualifiedNames`. */
export function withToolNames(input: readonly InputItem[], names: QualifiedNames): readonly InputItem[] {
  if (!input.some((item) => repeatsName(item, names))) return input
  return input.map((item) =>
    'qualified' in item && item.qualified !== undefined && repeatsName(item, names)
      ? { ...item, name: item.qualified.name }
      : item,
  )
}

/** A list of tools in the body of a request. */
export interface ToolList {
  readonly path: readonly (string | number)[]
  readonly given: readonly GivenTool[]
}

/**
 * Returns the path of a name whose joined form is the name of another tool, too; null if there is none. A later list may
 * repeat a tool of an earlier one.
 */
export function clashIn(lists: readonly ToolList[]): readonly [path: (string | number)[], name: string] | null {
  if (!lists.some(({ given }) => given.some(isNamespace))) return null
  const plain = new Set(
    lists.flatMap(({ given }) =>
      given.flatMap((tool) => (tool.type === 'function' || tool.type === 'custom' ? [tool.name] : [])),
    ),
  )
  const taken = new Map<string, Qualified>()
  for (const [which, { path, given }] of lists.entries()) {
    for (const [at, tool] of given.entries()) {
      if (tool.type !== 'namespace') continue
      for (const [inner, { name }] of tool.tools.entries()) {
        const flat = flatName(tool.name, name)
        const other = taken.get(flat)
        const isSame = which > 0 && other?.namespace === tool.name && other.name === name
        if (plain.has(flat) || (other !== undefined && !isSame)) {
          return [[...path, at, 'tools', inner, 'name'], flat]
        }
        taken.set(flat, { namespace: tool.name, name })
      }
    }
  }
  return null
}
